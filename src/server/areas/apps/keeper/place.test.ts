import { chmodSync, chownSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { chooseSocket, findSocket } from './place.ts'

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
