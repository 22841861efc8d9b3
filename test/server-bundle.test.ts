import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rememberProcess } from '#lib/processes/former-process.ts'
import { bundledServer } from '../scripts/server-bundle.ts'

/** A checkout of four sources: an entry, a module of it, a module that is loaded on demand, and a worker. */
describe('OP-01 the server that npm start joins into one file', () => {
  let root: string
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-bundle-'))
    for (const folder of ['src', 'scripts']) mkdirSync(join(root, folder))
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(root, 'scripts', 'server-bundle.ts'), '')
    const word = `export const word: string = 'first'`
    write('word.ts', word)
    write('archive.bin', 'bytes')
    write('late.ts', `export const late: string = 'late'`)
    write('child.ts', `import { word } from './word.ts'\nconsole.log('worker', word)`)
    write(
      'entry.ts',
      `import { word } from './word.ts'\nconst { late } = await import('./late.ts')\nconsole.log(word, late)`,
    )
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const write = (name: string, text: string) => writeFileSync(join(root, 'src', name), text)
  const bundle = () =>
    bundledServer({ root, entry: 'src/entry.ts', workers: ['src/child.ts'], files: ['src/archive.bin'] })
  const run = (file: string) => execFileSync(process.execPath, [file], { encoding: 'utf8' })
  const folders = () => readdirSync(join(root, 'dist', 'start')).toSorted()
  let changes = 0
  const change = () => write('word.ts', `export const word: string = 'change ${++changes}'`)

  it('runs without the sources, each worker from one file, with the files that are read later', async () => {
    const file = await bundle()
    const only = mkdtempSync(join(root, 'only-'))
    writeFileSync(join(only, 'package.json'), '{ "type": "module" }')
    copyFileSync(join(dirname(file), 'child.js'), join(only, 'child.js'))
    expect([run(file), run(join(only, 'child.js'))]).toEqual(['first late\n', 'worker first\n'])
    expect(readFileSync(join(dirname(file), 'archive.bin'), 'utf8')).toBe('bytes')
  })

  it('stays as it is while no source changes, and is made again after any change', async () => {
    const before = await bundle()
    expect(await bundle()).toBe(before)

    write('word.ts', `export const word: string = 'other'`)
    // An older time, as of a file that was put back from an archive.
    utimesSync(join(root, 'src', 'word.ts'), 1, 1)
    const after = await bundle()
    expect(run(after)).toBe('other late\n')
    expect(after).not.toBe(before)
  })

  it('the server of a former bundle runs on, and its files stay until no process uses them', async () => {
    const used = await bundle()
    mkdirSync(join(dirname(used), 'users'))
    const mark = join(dirname(used), 'users', String(process.pid))
    rememberProcess(mark, process.pid)
    change()
    const unused = await bundle()
    for (let round = 0; round < 2; round++) {
      change()
      await bundle()
    }
    expect([existsSync(used), existsSync(unused)]).toEqual([true, false])
    rmSync(mark)
    change()
    await bundle()
    expect(existsSync(used)).toBe(false)
  })

  it('a source that cannot be read is reported, and the former server is left', async () => {
    const names = folders()
    write('late.ts', 'export const = ')
    await expect(bundle()).rejects.toThrow(/src\/late\.ts:1:13/)
    expect(folders()).toEqual(names)
  })
})
