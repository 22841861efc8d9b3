import { PassThrough } from 'node:stream'
import { afterEach, expect, it, vi } from 'vitest'
import { createArchive } from '#lib/archive/write-archive.ts'
import { makeBackup } from './make-backup.ts'
import type { BackupSource } from './source.ts'

afterEach(() => vi.useRealTimers())

it('OP-05 a backup says which database it saves while that takes long, and its size at the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const database = { id: 'mdb_1', name: 'notes', state: 'ready', physical_name: 'p_1' }
  const source = {
    engine: 'embedded',
    secrets: {},
    files: {},
    savePlatform: async () => ({ databases: [database], counts: {}, migrations: [] }),
    saveDatabase: async (_: unknown, write: (name: string, content: string) => Promise<unknown>) => {
      vi.advanceTimersByTime(11_000)
      await write('files', 'x'.repeat(3 * 1024 ** 2))
      return true
    },
    [Symbol.asyncDispose]: async () => {},
  } as unknown as BackupSource
  const to = new PassThrough().resume()
  const archive = await createArchive(to, { passphrase: 'a passphrase of several words' })
  const [lines, shown]: string[][] = [[], []]
  const { storedBytes } = await makeBackup(source, archive, {
    version: '0.0.0',
    now: new Date(0),
    print: (line) => void lines!.push(line),
    progress: (line) => void shown!.push(line),
  })
  const which = 'Database 1 of 1, notes (mdb_1)'
  expect(shown).toEqual([`svc: saving ${which} …`, `svc: saving ${which} … (11 s)`])
  expect(lines).toEqual(['The database of svc: 0.0 MB', `${which}: 3.0 MB`])
  expect(storedBytes).toBeGreaterThan(0)
})
