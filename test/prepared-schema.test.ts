import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { digestOf, EMPTY_CLUSTER, makeCluster, readClusterArchive } from '#lib/db/embedded/cluster.ts'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { MANIFEST, type Manifest } from '#lib/db/embedded/prepared-schema.ts'
import { readTarEntries } from '#lib/db/embedded/tar-entries.ts'
import { toMigration } from '#lib/db/migrate/file.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { nameOf } from '#lib/db/migrate/plan.ts'
import { identifier, type Sql, sql } from '#lib/db/sql.ts'
import { tableLines } from '#test/rules/schema-lines.ts'
import { makeMigratedArchive } from '#test/suite/migrated-archive.ts'
import { allMigrations, preparedSchema } from '../src/server/process/schema.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-prepared-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(place, { recursive: true, force: true }))
const open = async (name: string) =>
  stack.use(await openEmbedded({ folder: join(place, name), onError: console.error, prepared: preparedSchema() }))
let prepared: Db
let migrated: Db
beforeAll(async () => {
  prepared = await open('prepared')
  migrated = stack.use(await openEmbedded({ archive: await makeMigratedArchive(), onError: console.error }))
})
afterAll(() => stack.disposeAsync())

it('OP-01 the prepared schema is made from all migrations: otherwise run `npm run cluster:schema` and commit its file', async () => {
  const { archive, checksums } = preparedSchema()
  const manifest = readTarEntries(await readClusterArchive(archive)).find(({ path }) => path === MANIFEST)!
  const { removed: _, ...preparedFrom } = JSON.parse(manifest.bytes.toString()) as Manifest
  expect(preparedFrom).toEqual({ base: digestOf(EMPTY_CLUSTER), checksums })
})

it('OP-01 a prepared cluster has the schema and the rows that migrations make in an empty one', async () => {
  // Only where the archive is old, which the test above reports.
  await migrate(prepared, allMigrations())
  const [lines, expected] = [await describeDatabase(prepared), await describeDatabase(migrated)]
  expect(expected.length).toBeGreaterThan(1_000)
  expect(lines).toEqual(expected)
})

it('OP-01 a migration that is newer than the prepared schema is applied to it', async () => {
  const newer = toMigration('lib', '9001_more.sql', '-- former release: runs\ncreate table svc.more (n int)')
  const db = await open('newer')
  const applied = await migrate(db, [...allMigrations(), newer])
  expect(applied.length).toBeLessThan(allMigrations().length)
  expect(applied.at(-1)).toBe('lib/9001_more.sql')
})

it.each([
  ['changed', (name: string, checksum: string) => [name, `${checksum}0`]],
  ['removed', (name: string, checksum: string) => [`${name}.gone`, checksum]],
])('OP-01 a migration that was %s makes a new cluster begin empty', async (how, change) => {
  const { archive, checksums } = preparedSchema()
  const [first, ...others] = Object.entries(checksums)
  const other = { archive, checksums: Object.fromEntries([change(...first!), ...others]) as Record<string, string> }
  const folder = join(place, how)
  await makeCluster(folder, undefined, other)
  const db = stack.use(await openEmbedded({ folder, onError: console.error }))
  expect(await db.query(TABLES)).toEqual([])
  const [oldest] = allMigrations()
  expect(await migrate(db, [oldest!])).toEqual([nameOf(oldest!)])
})

/** Describes everything that migrations can make, without the days in the names of partitions. */
async function describeDatabase(db: Db): Promise<string[]> {
  const read = async (statement: Sql) => (await db.query<{ line: string }>(statement)).map(({ line }) => line).sort()
  const tables = await db.query<{ schema: string; name: string }>(TABLES)
  const counts = tables.map(async ({ schema, name }) => {
    const [row] = await db.query<{ rows: number }>(sql`select count(*) as rows from ${identifier(schema, name)}`)
    return `${schema}.${name} has ${row!.rows} rows`
  })
  const others = [RELATIONS, FUNCTIONS, TRIGGERS, PARTITIONS, SEQUENCES, LEDGER].map(read)
  return [...(await tableLines(db)), ...(await Promise.all(counts)), ...(await Promise.all(others)).flat()]
}

const OWN = sql`(select oid from pg_namespace where nspname not in ('pg_catalog', 'information_schema', 'pg_toast'))`
const TABLES = sql`
  select relnamespace::regnamespace::text as schema, relname as name from pg_class
  where relkind in ('r', 'p') and not relispartition and relnamespace in ${OWN}
  order by 1, 2`
/** With the planner's estimates, which decide how statements run. */
const RELATIONS = sql`
  select format('%s %s %s %s %s %s %s %s', oid::regclass, relkind, relpersistence, reloptions, relacl, relrowsecurity,
                relpages, reltuples) as line
  from pg_class where not relispartition and relnamespace in ${OWN}`
const FUNCTIONS = sql`
  select pg_get_functiondef(oid) as line from pg_proc where prokind in ('f', 'p') and pronamespace in ${OWN}`
const TRIGGERS = sql`
  select pg_get_triggerdef(pg_trigger.oid) as line from pg_trigger join pg_class on pg_class.oid = tgrelid
  where not tgisinternal and not relispartition`
const PARTITIONS = sql`
  select format('%s has %s partitions', inhparent::regclass, count(*)) as line from pg_inherits group by inhparent`
const SEQUENCES = sql`select format('%s.%s at %s', schemaname, sequencename, last_value) as line from pg_sequences`
const LEDGER = sql`select format('%s', to_jsonb(m) - 'applied_at') as line from public.svc_migrations m`
