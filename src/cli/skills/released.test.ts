import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesOfSkill, INSTALLABLE_SKILLS } from '#contract/skills.ts'
import { loadBundle } from './bundle.ts'
import { digestsOfRelease, filePlace, wasReleased } from './released.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return undefined
  }
}

it('SK-02 the table knows every file of every tagged release: run scripts/record-skills.ts before a tag', async () => {
  const { releases } = await loadBundle()
  const tags = (git('tag', '--list', 'v*') ?? '').split('\n').filter(Boolean)
  for (const tag of tags) {
    for (const id of INSTALLABLE_SKILLS) {
      for (const path of filesOfSkill(id)) {
        const text = git('show', `${tag}:skills/${id}/${path}`)
        if (text !== undefined)
          expect(wasReleased(releases, filePlace(id, path), text), `${tag} ${id}/${path}`).toBe(true)
      }
    }
  }
})

it('SK-02 a release is known by twenty files and a block for each skill and scope, whatever the line endings', async () => {
  const { skills } = await loadBundle()
  const digests = digestsOfRelease(skills)
  expect(Object.keys(digests)).toHaveLength(24)
  const { path, text } = skills[0]!.files[0]!
  const releases = { '0.1.0': digests }
  expect(wasReleased(releases, filePlace('svc', path), text.replaceAll('\n', '\r\n'))).toBe(true)
  expect(wasReleased(releases, filePlace('svc', path), `${text} `)).toBe(false)
  expect(wasReleased(releases, filePlace('svc', 'references/databases.md'), text)).toBe(false)
})
