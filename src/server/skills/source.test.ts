import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sourceOf } from './source.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-source-'))
})
afterEach(() => rm(folder, { recursive: true }))

function git(...args: string[]): string {
  const settings = ['user.name=test', 'user.email=test@example.com', 'commit.gpgsign=false', 'core.hooksPath=/dev/null']
  return execFileSync('git', ['-C', folder, ...settings.flatMap((each) => ['-c', each]), ...args], {
    encoding: 'utf8',
  }).trim()
}

async function commit(): Promise<string> {
  git('init', '-q')
  await writeFile(join(folder, 'SKILL.md'), 'text')
  git('add', '.')
  git('commit', '-qm', 'first')
  return git('rev-parse', 'HEAD')
}

it('SK-05 a clean checkout of the tag of this version says that tag and its commit', async () => {
  const head = await commit()
  git('tag', 'v1.2.3')
  expect(await sourceOf(folder, '1.2.3')).toEqual({ ref: 'v1.2.3', commit: head })
})

it('SK-05 without the tag, or with that of another version, it is unreleased', async () => {
  const head = await commit()
  git('tag', 'v1.2.2')
  expect(await sourceOf(folder, '1.2.3')).toEqual({ ref: 'unreleased', commit: head })
})

it('SK-05 a changed or an added file is of no commit', async () => {
  await commit()
  git('tag', 'v1.2.3')
  await writeFile(join(folder, 'new.md'), 'text')
  expect(await sourceOf(folder, '1.2.3')).toEqual({ ref: 'unreleased', commit: null })
})

it('SK-05 without git, and in a folder inside somebody’s repository, nothing is claimed', async () => {
  expect(await sourceOf(folder, '1.2.3')).toEqual({ ref: 'unreleased', commit: null })
  await commit()
  git('tag', 'v1.2.3')
  await mkdir(join(folder, 'vendored'))
  expect(await sourceOf(join(folder, 'vendored'), '1.2.3')).toEqual({ ref: 'unreleased', commit: null })
})
