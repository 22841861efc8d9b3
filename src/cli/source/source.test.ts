import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { needsPrograms } from '#test/stores.ts'
import { tarSize, writeTar } from './tar.ts'
import { findFiles } from './walk.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-source-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, content = ''): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

const paths = async () => (await findFiles(folder)).files.map(({ path }) => path)

describe('MA-15 the files of a folder', () => {
  it('are all but those of git, of other machines and of secrets', async () => {
    for (const path of [
      'a.js',
      'src/b.js',
      '.git/config',
      'src/.git',
      'node_modules/x/i.js',
      'src/node_modules/y.js',
    ]) {
      write(path)
    }
    for (const path of ['.env', '.env.local', '.env.example', '.svc/db', 'src/.DS_Store', '.gitignore']) write(path)
    expect(await paths()).toEqual(['.env.example', '.gitignore', 'a.js', 'src/b.js'])
  })

  it('are chosen by .gitignore and .svcignore of each folder, the nearest first', async () => {
    write('.gitignore', 'dist\n*.log\n')
    write('.svcignore', '!dist\n/secret\n!node_modules/keep\n')
    write('src/.gitignore', '!keep.log\n')
    for (const path of ['dist/app.js', 'a.log', 'src/keep.log', 'src/drop.log', 'secret/key', 'src/secret/ok'])
      write(path)
    expect(await paths()).toEqual([
      '.gitignore',
      '.svcignore',
      'dist/app.js',
      'src/.gitignore',
      'src/keep.log',
      'src/secret/ok',
    ])
  })

  it('have their mode and size, and links are left out and named', async () => {
    write('run.sh', '#!/bin/sh\n')
    chmodSync(join(folder, 'run.sh'), 0o755)
    symlinkSync('/etc', join(folder, 'etc'))
    symlinkSync('run.sh', join(folder, 'also'))
    const { files, skipped } = await findFiles(folder)
    expect(files).toEqual([{ path: 'run.sh', location: join(folder, 'run.sh'), size: 10, executable: true }])
    expect(skipped).toEqual(['also', 'etc'])
  })

  it('are refused before anything is sent if they cannot be a revision', async () => {
    await expect(findFiles(folder)).rejects.toMatchObject({ message: 'The folder has no files to deploy.' })
    await expect(findFiles(join(folder, 'none'))).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    write('large.bin')
    truncateSync(join(folder, 'large.bin'), 16 * 1024 * 1024 + 1)
    await expect(findFiles(folder)).rejects.toMatchObject({
      code: 'INVALID_REVISION',
      message: 'The folder has files over 16777216 bytes: large.bin.',
      hint: 'Leave files out with .gitignore or .svcignore.',
    })
    for (let n = 0; n < 9; n++) {
      write(`part${n}`)
      truncateSync(join(folder, `part${n}`), 16 * 1024 * 1024)
    }
    rmSync(join(folder, 'large.bin'))
    await expect(findFiles(folder)).rejects.toMatchObject({
      message: 'The folder has 150994944 bytes; at most 134217728 are accepted.',
    })
  })
})

needsPrograms('tar')('the archive that is sent', () => {
  it('MA-15 is read by the tar of the system, and is as large as announced', async () => {
    async function* files() {
      yield { name: 'a'.repeat(64), content: Buffer.from('hello') }
      yield { name: 'b'.repeat(64), content: Buffer.alloc(0) }
      yield { name: 'c'.repeat(64), content: Buffer.alloc(512, 'x') }
    }
    const archive = await buffer(writeTar(files()))
    expect(archive.length).toBe(tarSize([5, 0, 512]))
    const list = execFileSync('tar', ['-tvf', '-'], { input: archive, encoding: 'utf8', env: { TZ: 'UTC' } })
    expect(list.trim().split('\n')).toEqual([
      `-rw-r--r-- 0/0               5 1970-01-01 00:00 ${'a'.repeat(64)}`,
      `-rw-r--r-- 0/0               0 1970-01-01 00:00 ${'b'.repeat(64)}`,
      `-rw-r--r-- 0/0             512 1970-01-01 00:00 ${'c'.repeat(64)}`,
    ])
    expect(execFileSync('tar', ['-xOf', '-', 'a'.repeat(64)], { input: archive, encoding: 'utf8' })).toBe('hello')
  })
})
