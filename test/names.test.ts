import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SourceFile } from '#test/rules/layers.ts'
import { findBannedNames } from '#test/rules/names.ts'

const ROOT = join(import.meta.dirname, '..')

function readSources(): SourceFile[] {
  // A full run of the benchmarks installs its peers below bench/.
  const paths = globSync('{src,test,bench,scripts,bin}/**/*.{ts,tsx,js,mjs}', {
    cwd: ROOT,
    exclude: ['**/node_modules'],
  })
  return paths.map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(ROOT, path), 'utf8') }))
}

describe('names and comments say what they are about', () => {
  it('no file has a name or a comment that CONTRIBUTING.md rules out', () => {
    const files = readSources()
    expect(files.length).toBeGreaterThan(1_000)
    expect(files.flatMap(findBannedNames)).toEqual([])
  })

  const VALUE = 'does not say which value it is'
  const TYPE = 'does not say what the type is'
  const LIMIT = 'is a limit: begin it with MAX_ or MIN_ and end it with the unit'
  it.each([
    ['const made = 1', `made ${VALUE}`],
    ['let kept: number | undefined', `kept ${VALUE}`],
    ['const [, known] = [1, 2]', `known ${VALUE}`],
    ['const { known } = a', `known ${VALUE}`],
    ['const { value: told = 1, ...said } = a', `told ${VALUE}`],
    ['function f(wanted: string) {}', `wanted ${VALUE}`],
    ['const f = async ({ a: [kept] }) => 1', `kept ${VALUE}`],
    ['type F = (known: string) => void', `known ${VALUE}`],
    ['type T = { readonly kept?: number }', `kept ${VALUE}`],
    ['class C { #made = 1 }', `made ${VALUE}`],
    ['for (const made of []) {}', `made ${VALUE}`],
    ['function wanted() {}', `wanted ${VALUE}`],
    ["import { a as known } from './a.ts'", `known ${VALUE}`],
    ['type Asked = string', `Asked ${TYPE}`],
    ['interface ShownApp {}', `ShownApp ${TYPE}`],
    ['type PiecesShown = 1', `PiecesShown ${TYPE}`],
    ['const GivenSettings = 1', `GivenSettings ${TYPE}`],
    ['type Known = 1', `Known ${TYPE}`],
    ['const MOST = 1', `MOST ${LIMIT}`],
    ['const LONGEST_RUN_MS = 1', `LONGEST_RUN_MS ${LIMIT}`],
    ['export const LEAST_PX = 1', `LEAST_PX ${LIMIT}`],
  ])('planted: %j is found', (text, fault) => {
    expect(findBannedNames({ path: 'src/a.ts', text })).toContain(`src/a.ts:1: ${fault}`)
  })

  it.each([
    ['/** Says how it ended. */', 1, 'Says'],
    ['/**\n * Tells whether it ended.\n */', 1, 'Tells'],
    ['f() // What is left.', 1, 'What'],
    ['// It ended.\n\n// What is left.', 3, 'What'],
    ['/* What is left. */', 1, 'What'],
  ])('planted: %j is found', (text, line, word) => {
    const fault = `a comment begins with the thing it describes or a verb, not with ${word}`
    expect(findBannedNames({ path: 'src/a.ts', text })).toEqual([`src/a.ts:${line}: ${fault}`])
  })

  it('planted: a comment in JSX, and a file that is named after its words, are found', () => {
    expect(findBannedNames({ path: 'src/a.tsx', text: 'const a = <p>{/* What is left. */}</p>' })).toHaveLength(1)
    expect(findBannedNames({ path: 'src/check-words.ts', text: '' })).toEqual([
      'src/check-words.ts: name the file after what it returns, not after its words',
    ])
  })

  it.each([
    'const row = { known: 1, made: a.kept }',
    'const { known: isKnown } = a',
    'const knownIds = [], isShown = 1, MAX_STOPS = 2',
    'type Forgiven = 1',
    "const text = 'What is known?'",
    '// It is sent once.\n// What is left is removed.',
    '/** Returns what is left. */',
    '// Whatever is left is removed.',
  ])('%j is no fault', (text) => {
    expect(findBannedNames({ path: 'src/a.ts', text })).toEqual([])
  })
})
