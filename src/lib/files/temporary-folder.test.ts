import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTemporaryFolder } from './temporary-folder.ts'

describe('temporary folders', () => {
  const place = mkdtempSync(join(tmpdir(), 'svc-places-'))
  const prefix = `${basename(place)}-`
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  it('a folder is for its owner alone and is removed when it is disposed', async () => {
    let path = ''
    {
      await using folder = await openTemporaryFolder(prefix)
      path = folder.path
      writeFileSync(join(path, 'secret'), 'x')
      expect(lstatSync(path).mode & 0o777).toBe(0o700)
    }
    expect(existsSync(path)).toBe(false)
  })

  it('the folder of a process that ended is removed, one that is in use and a link to elsewhere are not', async () => {
    const left = join(tmpdir(), `${prefix}left`)
    const link = join(tmpdir(), `${prefix}link`)
    mkdirSync(left)
    writeFileSync(join(left, 'secret'), 'x')
    writeFileSync(join(place, 'other'), 'of somebody else')
    symlinkSync(place, link)
    await using first = await openTemporaryFolder(prefix)
    await using second = await openTemporaryFolder(prefix)
    expect([left, first.path, second.path, link].map((path) => existsSync(path))).toEqual([false, true, true, true])
    expect(readFileSync(join(place, 'other'), 'utf8')).toBe('of somebody else')
    rmSync(link)
  })
})
