import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
    write('late.ts', `export const late: string = 'late'`)
    write('child.ts', `import { word } from './word.ts'\nconsole.log('worker', word)`)
    write(
      'entry.ts',
      `import { word } from './word.ts'\nconst { late } = await import('./late.ts')\nconsole.log(word, late)`,
    )
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const write = (name: string, text: string) => writeFileSync(join(root, 'src', name), text)
  const bundle = () => bundledServer({ root, entry: 'src/entry.ts', workers: ['src/child.ts'] })
  const run = (file: string) => execFileSync(process.execPath, [file], { encoding: 'utf8' })
  const files = () => readdirSync(join(root, 'dist', 'start')).toSorted()

  it('runs without the sources, each worker from one file', async () => {
    const file = await bundle()
    const only = mkdtempSync(join(root, 'only-'))
    writeFileSync(join(only, 'package.json'), '{ "type": "module" }')
    copyFileSync(join(root, 'dist', 'start', 'child.js'), join(only, 'child.js'))
    expect([run(file), run(join(only, 'child.js'))]).toEqual(['first late\n', 'worker first\n'])
  })

  it('stays as it is while no source changes, and is made again after any change', async () => {
    const changedMs = () => statSync(join(root, 'dist', 'start', 'sources.json')).mtimeMs
    await bundle()
    const before = changedMs()
    await bundle()
    expect(changedMs()).toBe(before)

    write('word.ts', `export const word: string = 'other'`)
    // An older time, as of a file that was put back from an archive.
    utimesSync(join(root, 'src', 'word.ts'), 1, 1)
    const names = files()
    expect(run(await bundle())).toBe('other late\n')
    expect(files().length).toBe(names.length)
  })

  it('a source that cannot be read is reported, and the former server is left', async () => {
    const names = files()
    write('late.ts', 'export const = ')
    await expect(bundle()).rejects.toThrow(/src\/late\.ts:1:13/)
    expect(files()).toEqual(names)
  })
})
