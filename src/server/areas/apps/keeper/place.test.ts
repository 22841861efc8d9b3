import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { chooseSocket, findSocket, keeperFolder, keeperIdOf } from './place.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A data folder whose path is too long for a socket in it. */
function longDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-place-test-'))
  folders.push(folder)
  const dataDir = join(folder, 'x'.repeat(120))
  mkdirSync(dataDir)
  return dataDir
}

it('OP-07 the socket of the keeper is found again, also where the path of the data folder is long', () => {
  const dataDir = longDataDir()
  const socket = chooseSocket(dataDir)
  folders.push(dirname(socket))
  expect(socket.startsWith(dataDir)).toBe(false)
  expect(findSocket(dataDir)).toBe(socket)
})

it.each<[string, (folder: string) => void]>([
  ['that others can use', (folder) => chmodSync(folder, 0o755)],
  [
    'that is a link',
    (folder) => {
      renameSync(folder, `${folder}-moved`)
      folders.push(`${folder}-moved`)
      symlinkSync(`${folder}-moved`, folder)
    },
  ],
  ['that is gone', (folder) => rmSync(folder, { recursive: true })],
  [
    'of another user',
    (folder) => {
      // Only root can give a folder away; for others this is the case before.
      if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534)
      else rmSync(folder, { recursive: true })
    },
  ],
])('OP-07 no keeper is looked for in a folder %s', (_, change) => {
  const dataDir = longDataDir()
  const folder = dirname(chooseSocket(dataDir))
  folders.push(folder)
  change(folder)
  expect(findSocket(dataDir)).toBeUndefined()
})

it.each([
  ['none', undefined],
  ['an empty one, as a full disk leaves it', ''],
  ['a part of one', 'keeper-0c4f'],
])('OP-07 a keeper with %s gets an id, and the next one has the same', (_, content) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-place-test-'))
  folders.push(dataDir)
  if (content !== undefined) writeFileSync(join(keeperFolder(dataDir), 'id'), content)
  const id = keeperIdOf(dataDir)
  expect(id).toMatch(/^keeper-[0-9a-f-]{36}$/)
  expect(keeperIdOf(dataDir)).toBe(id)
  expect(readdirSync(keeperFolder(dataDir))).toEqual(['id'])
})
