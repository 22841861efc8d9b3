import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { diskExcess } from './disk-watch.ts'

const NOBODY = 65_534
const LIMITS = { bytes: 1024 * 1024, files: 100, minFreeBytes: 0 }
const UNREADABLE = {
  reason: 'it made a folder that cannot be read, in which files cannot be counted',
  by: 'limit',
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  chmodSync(folder, 0o755)
  // Copies, because the folders that they are in may be closed to other users.
  copyFileSync(process.execPath, join(folder, 'node'))
  copyFileSync(join(import.meta.dirname, 'disk-watch.ts'), join(folder, 'disk-watch.ts'))
})
// Node cannot remove paths that are too long.
afterAll(() => void execFileSync('rm', ['-rf', folder]))

it('OP-09 files below a path that is too long end a build', async () => {
  const program = 'for (1..20) { mkdir "d" x 250; chdir "d" x 250 or die } open(F, ">big"); print F "x" x 2e6'
  const deep = join(folder, 'deep')
  mkdirSync(deep)
  execFileSync('perl', ['-e', program], { cwd: deep })
  expect(await diskExcess(deep, LIMITS, undefined)).toEqual({
    reason: 'it made a path longer than 4,096 bytes, below which files cannot be counted',
    by: 'limit',
  })
})

it.each([
  ['listed', 0o300],
  ['entered', 0o400],
])('OP-09 a folder that svc may not have %s ends a build', (_what, mode) => {
  const closed = join(folder, `closed-${mode}`)
  mkdirSync(join(closed, 'in'), { recursive: true })
  writeFileSync(join(closed, 'in', 'file'), '')
  chmodSync(join(closed, 'in'), mode)
  expect(excessWithoutRights(closed)).toEqual(UNREADABLE)
})

it('MA-15 links that lead nowhere and empty folders end no build', async () => {
  const usual = join(folder, 'usual')
  mkdirSync(join(usual, 'empty'), { recursive: true })
  symlinkSync(join(usual, 'gone'), join(usual, 'link'))
  expect(await diskExcess(usual, LIMITS, undefined)).toBeUndefined()
})

/** Asks as a user that is not root, because root reads everything. */
function excessWithoutRights(place: string): unknown {
  const isRoot = process.getuid?.() === 0
  const [node, watch] = [join(folder, 'node'), join(folder, 'disk-watch.ts')]
  if (isRoot) chownSync(join(place, 'in'), NOBODY, NOBODY)
  const program = `const { diskExcess } = await import(${JSON.stringify(watch)})
    console.log(JSON.stringify(await diskExcess(${JSON.stringify(place)}, ${JSON.stringify(LIMITS)}) ?? null))`
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const options = { cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'], ...user }
  return JSON.parse(execFileSync(node, ['--input-type=module', '-e', program], options).toString())
}
