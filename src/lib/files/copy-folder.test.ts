import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyFolder } from './copy-folder.ts'

const namesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()

describe('OP-05 the copy of a folder', () => {
  let root: string
  let from: string
  let to: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-copy-'))
    ;[from, to] = [join(root, 'from'), join(root, 'to')]
    mkdirSync(join(from, 'base', '1'), { recursive: true })
    mkdirSync(join(from, 'empty'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it('has every file byte for byte, small, large and empty, for its owner alone', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024 + 7, 'svc')
    writeFileSync(join(from, 'base', '1', 'large'), large)
    writeFileSync(join(from, 'base', 'small'), 'text')
    writeFileSync(join(from, 'nothing'), '')
    chmodSync(join(from, 'base', 'small'), 0o644)
    await copyFolder(from, to)
    expect(namesIn(to)).toEqual(['base', 'base/1', 'base/1/large', 'base/small', 'empty', 'nothing'])
    expect(readFileSync(join(to, 'base', '1', 'large')).equals(large)).toBe(true)
    expect(readFileSync(join(to, 'base', 'small'), 'utf8')).toBe('text')
    expect(readFileSync(join(to, 'nothing'), 'utf8')).toBe('')
    const modes = ['', 'base', 'base/small', 'base/1/large'].map((name) => statSync(join(to, name)).mode & 0o777)
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600])
  })

  it('holds no link and no special file', async () => {
    writeFileSync(join(root, 'secret'), 'of the server')
    symlinkSync(join(root, 'secret'), join(from, 'link'))
    symlinkSync(root, join(from, 'base', 'up'))
    execFileSync('mkfifo', [join(from, 'pipe')])
    await copyFolder(from, to)
    expect(namesIn(to)).toEqual(['base', 'base/1', 'empty'])
  })

  it('is refused where something is already, which stays as it is', async () => {
    mkdirSync(to)
    writeFileSync(join(to, 'small'), 'before')
    writeFileSync(join(from, 'small'), 'after')
    await expect(copyFolder(from, to)).rejects.toThrow('EEXIST')
    expect(readFileSync(join(to, 'small'), 'utf8')).toBe('before')
  })
})
