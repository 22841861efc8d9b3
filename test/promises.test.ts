import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FULL_ONLY_TESTS } from '#test/suite/full-only.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = 'docs/promises.md'

const PROMISE = /^- \*\*([A-Z]{2}-\d{2})\*\* \S/gm
const ID = /\b[A-Z]{2}-\d+\b/g
/** A row of the table that names the test of `npm test` for each promise. */
const PROOF = /^\| ([A-Z]{2}-\d{2}) \| `(\S+)` \|$/gm
/** The ids at the beginning of a text in quotes: of a title, or of a row of `it.each` that its title repeats. */
const IDS_OF_TITLE = /['"`]((?:[A-Z]{2}-\d+ )+)/g

type TestFile = { readonly path: string; readonly text: string }

function readTests(): TestFile[] {
  const paths = globSync(['src/**/*.test.{ts,tsx}', 'test/**/*.ts'], { cwd: ROOT }).sort()
  return paths
    .filter((path) => !path.endsWith('promises.test.ts'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

function promisesOf(page: string): string[] {
  return [...page.matchAll(PROMISE)].map(([, id]) => id!)
}

/** Looks at the whole text, so that no way of writing a title hides an id. */
function findUnknownIds(files: readonly TestFile[], promises: readonly string[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...new Set(text.match(ID))].filter((id) => !promises.includes(id)).map((id) => `${path}: ${id} is not in ${PAGE}`),
  )
}

/** Returns the rows whose test `npm test` does not run, or that does not name the promise. */
function findWrongProofs(files: readonly TestFile[], page: string): string[] {
  return [...page.matchAll(PROOF)].flatMap(([, id, path]) => {
    const file = files.find((each) => each.path === path)
    const isProof = file !== undefined && findUnproven([file], [id!]).length === 0
    return isProof && !FULL_ONLY_TESTS.some((glob) => matchesGlob(path!, glob)) ? [] : [`${id} ${path}`]
  })
}

function findUnproven(files: readonly TestFile[], promises: readonly string[]): string[] {
  const titles = files.flatMap(({ text }) => [...text.matchAll(IDS_OF_TITLE)].map(([, ids]) => ids!))
  const proven = new Set(titles.flatMap((ids) => ids.trim().split(' ')))
  return promises.filter((id) => !proven.has(id))
}

describe('the promises of docs/promises.md', () => {
  const page = readFileSync(join(ROOT, PAGE), 'utf8')
  const promises = promisesOf(page)
  const files = readTests()

  it('are each there once', () => {
    expect(promises.length).toBeGreaterThan(90)
    expect(promises.filter((id, index) => promises.indexOf(id) !== index)).toEqual([])
  })

  it('have every id that a test names', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(findUnknownIds(files, promises)).toEqual([])
  })

  it('have a test each', () => {
    expect(findUnproven(files, promises)).toEqual([])
  })

  it('are each proven by `npm test`, in the file that the page names', () => {
    expect([...page.matchAll(PROOF)].map(([, id]) => id)).toEqual(promises)
    expect(findWrongProofs(files, page)).toEqual([])
  })
})

describe('planted', () => {
  it.each([
    ["it('DS-99 a title', () => {})", 'DS-99'],
    ["describe('DS-01 DS-99 two promises', () => {})", 'DS-99'],
    ["])('ZZ-01 a title of rows: %s', () => {})", 'ZZ-01'],
    ["needs('postgres')('DS-1 too short', () => {})", 'DS-1'],
    ['it(`DS-012 a template`, () => {})', 'DS-012'],
    ["it('a title that ends with DS-99', () => {})", 'DS-99'],
  ])('%j names an unknown id', (text, id) => {
    expect(findUnknownIds([{ path: 'a.test.ts', text }], ['DS-01'])).toEqual([
      `a.test.ts: ${id} is not in docs/promises.md`,
    ])
  })

  it.each([
    ["it('DS-01 DS-02 a title', () => {})", []],
    ["it.each([['DS-01 a row', 1], [`DS-02 a template`, 2]])('%s', () => {})", []],
    ["it('DS-01 a title, unlike DS-02', () => {})", ['DS-02']],
    ["// DS-01 and DS-02\nit('a title', () => {})", ['DS-01', 'DS-02']],
  ])('%j leaves %j without a test', (text, unproven) => {
    expect(findUnproven([{ path: 'a.test.ts', text }], ['DS-01', 'DS-02'])).toEqual(unproven)
  })

  it.each([
    ['a.test.ts', "it('DS-01 a title', () => {})", []],
    ['a.test.ts', "it('a title, unlike DS-01', () => {})", ['DS-01 a.test.ts']],
    ['test/journeys/a.test.ts', "it('DS-01 a title', () => {})", ['DS-01 test/journeys/a.test.ts']],
  ])('a row that names %s with %j', (path, text, wrong) => {
    expect(findWrongProofs([{ path, text }], `| DS-01 | \`${path}\` |`)).toEqual(wrong)
  })

  it('a promise is a line that begins with its id in bold', () => {
    expect(promisesOf('# DS-00\n- **DS-01** One.\n- DS-02 Two.\n- **DS-03**\n')).toEqual(['DS-01'])
  })
})
