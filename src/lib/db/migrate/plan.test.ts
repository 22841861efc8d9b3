import { describe, expect, it } from 'vitest'
import { type Migration, toMigration } from './file.ts'
import { type Applied, planMigrations } from './plan.ts'
import { MigrationRefused } from './refusal.ts'

const file = (area: string, name: string, top = '') => toMigration(area, name, `${top}-- ${area} ${name}`)
const applied = ({ text: _, outside: __, ...row }: Migration): Applied => row
const plan = (own: Migration[], done: Migration[]) => planMigrations(own, done.map(applied))

const [one, two, other] = [file('a', '0001_one.sql'), file('a', '0002_two.sql'), file('b', '0001_one.sql')]
const compatible = file('a', '0003_compatible.sql', '-- former release: runs\n')
const breaking = file('a', '0004_breaking.sql', '-- former release: stops, it reads a.t.gone\n')

describe('the plan', () => {
  it.each<[string, Migration[], Migration[], Migration[]]>([
    ['all of it on an empty schema', [one, two, other], [], [one, two, other]],
    ['what is left, in the order of this version', [one, two, other], [two], [one, other]],
    ['areas apart: the same file name is another file', [one, other], [other], [one]],
    ['nothing when all is done', [one, two], [two, one], []],
    ['nothing when there are no migrations', [], [], []],
  ])('is %s', (_, own, done, pending) => {
    expect(plan(own, done)).toEqual({ pending, newer: [] })
  })

  it('refuses a file that was changed after it was applied', () => {
    const changed = { ...two, checksum: 'of something else' }
    expect(() => plan([one, changed], [one, two])).toThrow(
      new MigrationRefused(
        'The migration a/0002_two.sql was changed after it was applied. Add a new file instead of editing this one.',
      ),
    )
  })

  it('OP-06 accepts a former text of a file if this version names its checksum, and no other', () => {
    const changed = { ...two, checksum: 'of today', formerChecksums: [two.checksum] }
    expect(plan([one, changed, other], [one, two])).toEqual({ pending: [other], newer: [] })
    expect(() => plan([one, changed], [one, { ...two, checksum: 'of something else' }])).toThrow(MigrationRefused)
  })
})

describe('OP-02 a schema of a newer version', () => {
  it('is accepted when each newer migration says that the former release runs', () => {
    const also = file('c', '0001_new_area.sql', '-- former release: runs\n')
    expect(plan([one, two], [one, two, compatible, also])).toEqual({
      pending: [],
      newer: [compatible, also].map(applied),
    })
  })

  it('is refused when one of them stops it, naming those and why, and what to do', () => {
    const unmarked = file('b', '0009_unmarked.sql')
    expect(() => plan([one], [one, compatible, breaking, unmarked])).toThrow(
      new MigrationRefused(
        `A newer version migrated the database, and this version cannot run on the result of:
  - a/0004_breaking.sql: it reads a.t.gone
  - b/0009_unmarked.sql
Start the newer version, or restore a backup from before it was installed.`,
      ),
    )
  })

  it('is refused when this version has migrations that it lacks', () => {
    expect(() => plan([one, two, other], [one, compatible])).toThrow(
      new MigrationRefused(
        'The database has a/0003_compatible.sql of another version and lacks a/0002_two.sql, b/0001_one.sql of this ' +
          'one. Start the version that migrated it, or a later one that has both.',
      ),
    )
  })
})
