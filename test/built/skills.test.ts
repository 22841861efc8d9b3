import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesOfSkill, INSTALLABLE_SKILLS, SkillIndex } from '#contract/skills.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { currentBuild } from '../../scripts/build-folder.ts'
import { buildSkills } from '../../scripts/build-skills.ts'
import type { Releases } from '../../src/cli/skills/released.ts'
import { readPublication } from '../../src/server/areas/skills/publication.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const DIST = join(ROOT, 'dist')
const BUILT_SKILLS = join(DIST, 'builds', currentBuild(DIST) ?? '', 'skills')

describe('the skills of a release', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-built-skills-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('SK-05 the client, alone in a folder, installs the same bytes as the sources and the publication', async () => {
    await run('tar', ['-xzf', join(DIST, 'client.tgz'), '-C', folder])
    const svc = join(folder, 'package', 'bin', 'svc.js')
    for (const name of INSTALLABLE_SKILLS) {
      await run(process.execPath, [svc, 'skills', 'install', name], { cwd: folder, env: { HOME: folder } })
      for (const file of filesOfSkill(name)) {
        const installed = await readFile(join(folder, '.claude', 'skills', name, file))
        expect(installed.equals(await readFile(join(ROOT, 'skills', name, file))), file).toBe(true)
        expect(installed.equals(await readFile(join(BUILT_SKILLS, name, file))), file).toBe(true)
      }
    }
  })

  it('SK-05 archives are the same to the byte in a second build', async () => {
    const again = join(folder, 'again')
    await buildSkills(again)
    const [first, second] = await Promise.all([readPublication(BUILT_SKILLS), readPublication(again)])
    for (const name of INSTALLABLE_SKILLS) {
      expect(first.get(`${name}.tar.gz`)!.equals(second.get(`${name}.tar.gz`)!)).toBe(true)
    }
  })

  it('SK-05 the index names the tag of this version exactly when every file is as recorded for it', async () => {
    const index = SkillIndex.parse(JSON.parse(await readFile(join(BUILT_SKILLS, 'index.json'), 'utf8')))
    const releases = JSON.parse(await readFile(join(ROOT, 'skills', 'releases.json'), 'utf8')) as Releases
    const recorded = releases[packageJson.version]!
    expect(index._source.ref).toBe(`v${packageJson.version}`)
    for (const { name, files } of index.skills) {
      for (const file of files) {
        const digest = createHash('sha256')
          .update(await readFile(join(BUILT_SKILLS, name, file)))
          .digest('hex')
        expect(recorded[`${name}/${file}`], `${name}/${file}`).toBe(digest)
      }
    }
  })
})
