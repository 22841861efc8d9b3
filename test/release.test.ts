import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { findBreaking } from '../scripts/release/breaking.ts'
import { contractLines } from '../scripts/release/contract-lines.ts'
import { readCurrent, readRecord, recordFault } from '../scripts/release/record.ts'
import { operation } from '../src/contract/core/operation.ts'
import { health } from '../src/contract/system.ts'
import { allMigrations } from '../src/server/process/schema.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = packageJson

describe('OP-06 the version of the sources', () => {
  it('is recorded, with this API and these migrations', async () => {
    const { record } = await readRecord()
    const { contract, migrations } = readCurrent()
    // After a change: a new version in package.json, chart/Chart.yaml and the skills, then npm run release:record.
    expect(record[version]).toMatchObject({ contract, migrations })
  })

  it('is that of the chart, the skills and the newest entry of the changelog', () => {
    expect(/^appVersion: (.*)$/m.exec(read('chart/Chart.yaml'))?.[1]).toBe(version)
    expect(/^## \[(\d+\.\d+\.\d+)\]/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version)
    for (const skill of ['svc', 'svc-ai-gateway', 'svc-faq']) {
      expect(read(`skills/${skill}/SKILL.md`)).toContain(`\n  version: "${version}"\n`)
    }
    expect(Object.keys(JSON.parse(read('skills/releases.json')) as object)).toContain(version)
  })

  it('has a section in the changelog for each recorded version, newest first, and each is dated', async () => {
    const { record } = await readRecord()
    const sections = [...read('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$/gm)]
    const listed = sections.map((match) => match[1])
    expect(listed).toEqual(expect.arrayContaining(Object.keys(record)))
    expect(listed).toEqual(listed.toSorted((a, b) => b!.localeCompare(a!, 'en', { numeric: true })))
  })
})

const TODAY = '2026-11-17'
const FORMER = [
  'op tokens.create POST /api/v1/tokens',
  'in tokens.create name: string, required',
  'in tokens.create kind: string',
  'in tokens.create kind = "short"',
  'in tokens.create kind = "long"',
  'out tokens.create id: string, required',
  'out tokens.create state: string',
  'out tokens.create state = "new"',
]
const without = (line: string) => FORMER.filter((one) => one !== line)
const replaced = (line: string, by: string) => FORMER.map((one) => (one === line ? by : one))

describe('OP-06 a change of the API', () => {
  it.each<[string, string[], string[]]>([
    ['nothing', FORMER, []],
    ['a new operation', [...FORMER, 'op x.y GET /x', 'in x.y id: string, required'], []],
    ['a new optional part of a request', [...FORMER, 'in tokens.create note: string'], []],
    ['a new part of an answer', [...FORMER, 'out tokens.create note: string, required'], []],
    ['a new value in an answer', [...FORMER, 'out tokens.create state = "old"'], []],
    ['a value that no answer has any more', without('out tokens.create state = "new"'), []],
    [
      'a part that need not be sent any more',
      replaced('in tokens.create name: string, required', 'in tokens.create name: string'),
      [],
    ],
    [
      'a part that every answer has now',
      replaced('out tokens.create state: string', 'out tokens.create state: string, required'),
      [],
    ],
  ])('%s breaks no client', (_, after, expected) => {
    expect(findBreaking(FORMER, after, TODAY)).toEqual(expected)
  })

  it.each<[string, string[], string[]]>([
    [
      'an operation that is gone',
      without('op tokens.create POST /api/v1/tokens'),
      ['gone: op tokens.create POST /api/v1/tokens'],
    ],
    [
      'another address',
      replaced('op tokens.create POST /api/v1/tokens', 'op tokens.create POST /api/v2/tokens'),
      ['gone: op tokens.create POST /api/v1/tokens'],
    ],
    [
      'a part of an answer that is gone',
      without('out tokens.create id: string, required'),
      ['gone: out tokens.create id: string, required'],
    ],
    [
      'a part of an answer that may be missing now',
      replaced('out tokens.create id: string, required', 'out tokens.create id: string'),
      ['gone: out tokens.create id: string, required'],
    ],
    [
      'another type in an answer',
      replaced('out tokens.create state: string', 'out tokens.create state: string or null'),
      ['gone: out tokens.create state: string'],
    ],
    [
      'a part of a request that is unknown now',
      without('in tokens.create kind: string'),
      ['gone: in tokens.create kind: string'],
    ],
    [
      'a value that is refused now',
      without('in tokens.create kind = "long"'),
      ['gone: in tokens.create kind = "long"'],
    ],
    [
      'a part that must be sent now',
      [...FORMER, 'in tokens.create note: string, required'],
      ['demanded: in tokens.create note: string, required'],
    ],
    [
      'an optional part that must be sent now',
      replaced('in tokens.create kind: string', 'in tokens.create kind: string, required'),
      ['gone: in tokens.create kind: string', 'demanded: in tokens.create kind: string, required'],
    ],
  ])('%s breaks clients', (_, after, expected) => {
    expect(findBreaking(FORMER, after, TODAY)).toEqual(expected)
  })

  const recorded = { record: { '0.4.0': { date: '2026-01-01', contract: 'a', migrations: 'm' } }, lines: FORMER }
  const broken = without('in tokens.create kind = "long"')

  it.each<[string, string, { contract: string; migrations: string; lines: string[] }, RegExp | undefined]>([
    ['the same', '0.4.0', { contract: 'a', migrations: 'm', lines: FORMER }, undefined],
    ['another API', '0.4.0', { contract: 'b', migrations: 'm', lines: FORMER }, /Set a new version/],
    ['other migrations', '0.4.0', { contract: 'a', migrations: 'n', lines: FORMER }, /Set a new version/],
    ['a compatible API', '0.4.1', { contract: 'b', migrations: 'n', lines: FORMER }, undefined],
    ['a breaking API', '0.4.1', { contract: 'b', migrations: 'm', lines: broken }, /breaks clients of 0\.4\.0/],
    ['a breaking API', '0.5.0', { contract: 'b', migrations: 'm', lines: broken }, undefined],
    ['a breaking API', '1.0.0', { contract: 'b', migrations: 'm', lines: broken }, undefined],
  ])('%s can or cannot be recorded as %s', (_, next, current, fault) => {
    const found = recordFault(next, current, recorded, TODAY)
    if (fault === undefined) expect(found).toBeUndefined()
    else expect(found).toMatch(fault)
  })
})

describe('OP-06 the removal of an operation', () => {
  const announcedOn = (since: string) => [...FORMER, `deprecated tokens.create ${since}`]

  it.each<[string, string[], string[]]>([
    ['180 days after it was announced breaks nobody', announcedOn('2026-05-21'), []],
    ['longer after it was announced breaks nobody', announcedOn('2025-01-01'), []],
  ])('%s', (_, before, expected) => {
    expect(findBreaking(before, [], TODAY)).toEqual(expected)
  })

  it.each<[string, string[]]>([
    ['that was not announced', FORMER],
    ['179 days after it was announced', announcedOn('2026-05-22')],
    ['that was announced on no day', announcedOn('soon')],
  ])('%s breaks clients', (_, before) => {
    expect(findBreaking(before, [], TODAY)).toContain('gone: op tokens.create POST /api/v1/tokens')
  })

  it('is not begun by a change of an operation that stays, however long it was deprecated', () => {
    const after = FORMER.filter((line) => line !== 'out tokens.create id: string, required')
    expect(findBreaking(announcedOn('2025-01-01'), after, TODAY)).toEqual([
      'gone: out tokens.create id: string, required',
    ])
  })

  it('breaks nobody when it is only announced, or taken back', () => {
    expect(findBreaking(FORMER, announcedOn('2026-11-17'), TODAY)).toEqual([])
    expect(findBreaking(announcedOn('2026-11-17'), FORMER, TODAY)).toEqual([])
  })

  it('is announced in the recorded lines', () => {
    const deprecated = { since: '2026-11-17', sunset: '2027-06-01', use: 'tokens.create' }
    const lines = contractLines([operation({ ...health, name: 'system.old', deprecated })])
    expect(lines.slice(0, 2)).toEqual(['op system.old GET /healthz', 'deprecated system.old 2026-11-17'])
  })
})

describe('OP-06 the page about upgrading', () => {
  it('has a line for each migration, in order, with its verdict about the release before', () => {
    const listed = [...read('docs/upgrading.md').matchAll(/^\| `([\w/-]+)` \| (\w+)/gm)].map(
      ([, name, verdict]) => `${name} ${verdict}`,
    )
    const migrations = allMigrations().map(({ area, name, text }) => {
      const verdict = /^-- former release: (\w+)/m.exec(text)?.[1] ?? 'not'
      return `${area}/${name.replace(/\.sql$/, '')} ${verdict}`
    })
    expect(listed.toSorted()).toEqual(migrations.toSorted())
  })
})
