import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { identifier, type Sql, script, sql } from '#lib/db/sql.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { distanceOperator } from '../search/metrics.ts'
import { fromTable, hasColumns } from '../search/named-columns.ts'
import type { PersonValues } from '../search/person.ts'
import type { ManagedDb } from './catalogue.ts'
import type { Reporter } from './findings.ts'

const TRY_LIMIT_MS = 5_000
const SAMPLE_ROWS = 20

/**
 * Checks that the database accepts such a question; no row is read. It runs as the owner, because the reader has no
 * rights yet: `rehearse.ts` runs it again as the reader.
 */
export async function tryOut(
  owner: ManagedDb,
  entry: ResolvedEntry,
  person: PersonValues | undefined,
  report: Reporter,
): Promise<void> {
  await attempt(report, () => run(owner, person, questionLike(entry)))
}

/** Checks the dimensions of a column that declares none on some of its rows. */
export async function measure(
  owner: ManagedDb,
  entry: ResolvedEntry,
  person: PersonValues | undefined,
  report: Reporter,
): Promise<void> {
  await attempt(report, async () => {
    const vector = identifier(entry.vector_column)
    const rows = await run<{ size: number }>(
      owner,
      person,
      sql`select distinct ${identifier(entry.extension_schema)}.vector_dims(sample.v) as size
          from (select ${vector} as v from ${fromTable(entry)}
                where ${hasColumns(entry, [])} and ${vector} is not null limit ${script(String(SAMPLE_ROWS))}) sample`,
    )
    if (rows.length === 0) {
      return report.problem('dimensions', `"${entry.vector_column}" has no declared size and no row to measure`)
    }
    const other = rows.find(({ size }) => size !== entry.dimensions)
    if (other) {
      report.problem('dimensions', `"${entry.vector_column}" has ${other.size} dimensions, not ${entry.dimensions}`)
    }
  })
}

function questionLike(entry: ResolvedEntry): Sql {
  const extension = identifier(entry.extension_schema)
  const columns = entry.content.map(({ name }) => sql`${identifier(name)}`).reduce((all, each) => sql`${all}, ${each}`)
  const filters = Object.entries(entry.filters)
    .map(([name, { pg_type }]) => sql`${identifier(name)} = null::${script(pg_type)}`)
    .reduce((all, each) => sql`${all} and ${each}`, sql`true`)
  const distance = sql`${identifier(entry.vector_column)} ${distanceOperator(entry)}
    null::${extension}.${script(entry.vector_type)}`
  return sql`select ${columns} from ${fromTable(entry)}
    where ${hasColumns(entry, Object.keys(entry.filters))} and ${filters}
    order by ${distance} limit 0`
}

/**
 * Runs unprepared, because a plan from before a change of the table would fail. Policies that are forced on the owner too
 * need the settings of a person.
 */
async function run<Row>(owner: ManagedDb, person: PersonValues = {}, { text }: Sql): Promise<Row[]> {
  return owner.tx(
    async (tx) => {
      await tx.query(sql`select pg_catalog.set_config('search_path', 'pg_catalog', true)`)
      for (const [name, value] of Object.entries(person))
        await tx.query(sql`select pg_catalog.set_config(${name}, ${value}, true)`)
      return tx.query<Row>(script(text))
    },
    { readOnly: true, timeoutMs: TRY_LIMIT_MS },
  )
}

export async function attempt(report: Reporter, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const state = stateOf(error)
    if (state === undefined) throw error
    report.problem('table', describe(state, error as Error))
  }
}

function describe(state: string, { message }: Error): string {
  if (state === CANCELLED) return `it did not answer in ${TRY_LIMIT_MS / 1000} seconds`
  if (QUOTING_STATES.has(state)) return `a policy or a function failed for one of its rows (${state})`
  return message
}

const CANCELLED = '57014'
/** Their messages quote values, which may be those of rows. P0001 is the text of a tenant's own function. */
const QUOTING_STATES = new Set(['22P02', '22003', '22007', '22008', 'P0001'])

/** The SQLSTATE of an error that the database itself answered, including a cancelled statement. */
function stateOf(error: unknown): string | undefined {
  const inner = error instanceof DatabaseUnavailable ? error.cause : error
  if (!(inner instanceof Error) || !('code' in inner) || typeof inner.code !== 'string') return undefined
  if (error instanceof DatabaseUnavailable && inner.code !== CANCELLED) return undefined
  return /^[0-9A-Z]{5}$/.test(inner.code) ? inner.code : undefined
}
