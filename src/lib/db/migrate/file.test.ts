import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readMigrations, toMigration } from './file.ts'
import { MigrationRefused } from './refusal.ts'

const read = (text: string) => toMigration('a', '0001_one.sql', text)

describe('OP-02 the verdict of a migration', () => {
  it.each<[string, string, object]>([
    ['none counts as stops', '-- Why.\nselect 1', { formerRelease: 'stops', reason: '' }],
    ['runs', '-- Why.\n-- former release: runs\nselect 1', { formerRelease: 'runs', reason: '' }],
    [
      'runs, with a reason',
      '-- former release: runs, it ignores the new column\n\n-- Why.\nselect 1',
      { formerRelease: 'runs', reason: 'it ignores the new column' },
    ],
    [
      'stops, with a reason',
      '-- former release: stops, it reads x.t.gone\nselect 1',
      { formerRelease: 'stops', reason: 'it reads x.t.gone' },
    ],
    ['line ends of Windows', '-- former release: runs\r\nselect 1', { formerRelease: 'runs', reason: '' }],
    [
      'other sentences that begin with the same words',
      '-- former release runs on: it ignores the column\nselect 1',
      { formerRelease: 'stops', reason: '' },
    ],
    ['a file of comments only', '-- former release: runs', { formerRelease: 'runs', reason: '' }],
  ])('is read from the comment lines on top: %s', (_, text, verdict) => {
    expect(read(text)).toMatchObject({ area: 'a', name: '0001_one.sql', text, ...verdict })
  })

  it.each([
    ['stops without a reason', '-- former release: stops\nselect 1', 'write "-- former release: runs"'],
    ['another word', '-- former release: works\nselect 1', 'write "-- former release: runs"'],
    ['nothing said', '-- former release:\nselect 1', 'write "-- former release: runs"'],
    ['said twice', '-- former release: runs\n-- former release: stops, x\nselect 1', 'it says twice'],
    ['below a statement', 'select 1;\n-- former release: runs\n', 'a directive must stand in the comment lines on top'],
    [
      'the other directive below a statement',
      'select 1;\n-- outside transaction\n',
      'a directive must stand in the comment lines on top',
    ],
  ])('is refused where it cannot be understood: %s', (_, text, words) => {
    expect(() => read(text)).toThrow(MigrationRefused)
    expect(() => read(text)).toThrow(`a/0001_one.sql: ${words}`)
  })
})

describe('OP-02 a migration outside a transaction', () => {
  const TOP = '-- former release: runs\n-- outside transaction\n'

  it('is read statement by statement, with the index that each is about', () => {
    const create = 'create unique index concurrently if not exists t_n on x.t (n) where n > 0'
    const drop = 'DROP INDEX CONCURRENTLY IF EXISTS x.Old'
    const validate = 'alter table x.t validate constraint t_small'
    expect(read(`${TOP}${validate}`).outside).toEqual([{ does: 'validate', text: validate }])
    expect(read(`${TOP}${create}; -- why\n${drop};\n`).outside).toEqual([
      { does: 'create', schema: 'x', index: 't_n', text: create },
      { does: 'drop', schema: 'x', index: 'old', text: drop },
    ])
  })

  it.each([
    ['nothing', ''],
    ['another statement', 'update x.t set n = 1'],
    ['a build that blocks writes', 'create index if not exists t_n on x.t (n)'],
    ['a build that fails when it runs again', 'create index concurrently t_n on x.t (n)'],
    ['a table without its schema', 'create index concurrently if not exists t_n on t (n)'],
    ['a removal that fails when it runs again', 'drop index concurrently x.t_n'],
    ['an index without its schema', 'drop index concurrently if exists t_n'],
    ['something after the build', 'create index concurrently if not exists t_n on x.t (n); update x.t set n = 1'],
    ['a semicolon in quotes', "create index concurrently if not exists t_n on x.t (n) where s = ';'"],
  ])('is refused with anything that is not safe to repeat: %s', (_, text) => {
    expect(() => read(TOP + text)).toThrow('a/0001_one.sql: outside a transaction only "create [unique] index')
  })
})

describe('the files of an area', () => {
  it('are the numbered SQL files, in the order of areas and numbers', () => {
    const place = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
    try {
      mkdirSync(join(place, 'a'))
      mkdirSync(join(place, 'b'))
      for (const name of ['0010_ten.sql', '0002_two.sql', 'notes.md', '1_short.sql', '0003_Big.sql', '0004_x.sql~']) {
        writeFileSync(join(place, 'a', name), `-- ${name}`)
      }
      writeFileSync(join(place, 'b', '0001_one.sql'), 'select 1')
      const files = readMigrations(['b', 'a'].map((area) => ({ area, folder: join(place, area) })))
      expect(files.map(({ area, name, text }) => [area, name, text])).toEqual([
        ['b', '0001_one.sql', 'select 1'],
        ['a', '0002_two.sql', '-- 0002_two.sql'],
        ['a', '0010_ten.sql', '-- 0010_ten.sql'],
      ])
      const missing = () => readMigrations([{ area: 'missing', folder: join(place, 'missing') }])
      expect(missing).toThrow('ENOENT')
      expect(files[0]!.checksum).toBe('822ae07d4783158bc1912bb623e5107cc9002d519e1143a9c200ed6ee18b6d0f')
    } finally {
      rmSync(place, { recursive: true })
    }
  })
})
