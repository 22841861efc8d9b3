import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commitOf } from './source.ts'

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

it('SK-05 a checkout without changes names its commit', async () => {
  const head = await commit()
  expect(await commitOf(folder)).toBe(head)
})

it('SK-05 a checkout with a changed or added file names no commit', async () => {
  await commit()
  await writeFile(join(folder, 'new.md'), 'text')
  expect(await commitOf(folder)).toBeNull()
  git('add', '.')
  git('commit', '-qm', 'second')
  await writeFile(join(folder, 'new.md'), 'other text')
  expect(await commitOf(folder)).toBeNull()
})

it('SK-05 without git, and in a folder inside another repository, no commit is named', async () => {
  expect(await commitOf(folder)).toBeNull()
  await commit()
  await mkdir(join(folder, 'vendored'))
  expect(await commitOf(join(folder, 'vendored'))).toBeNull()
})
