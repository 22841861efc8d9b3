import { ServiceError } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import { type Sql, script, sql } from '#lib/db/sql.ts'
import type { ManagedDb } from '../configure/catalogue.ts'
import { grantOnly } from '../configure/grants.ts'
import { sqlStateOf, withoutDatabaseText } from '../search/database-errors.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Reader } from '../search/reader.ts'
import { isFilteredByPolicy } from '../search/row-security.ts'

/** A managed database as its owner, with a role that has no lasting rights. */
export type PreviewDb = {
  readonly owner: ManagedDb
  readonly role: string
  /** Makes the session act as the role until the transaction ends. */
  readonly become: Sql
  /** Whether it is the role of questions itself. */
  readonly isReader: boolean
}

/** The time of a question's statement. */
const STATEMENT_MS = 10_000
/** Of the advisory lock under which previews of a database follow each other, because their grants lock the same rows. */
const LOCK = 7_230_451_902

/**
 * Reads as questions of these entries would, before they are saved. The owner grants the role the columns of the entries
 * in a transaction that acts as the role from then on, only reads, and never commits: nobody else ever sees the grants,
 * and nothing is left of them if the process ends. Code of the tenant that runs in it could take back the rights of the
 * owner, which are the tenant's own, but it cannot write.
 */
export function previewReader(preview: PreviewDb, entries: readonly ResolvedEntry[]): Reader {
  return {
    reads: (work, session, person = {}) =>
      rolledBack(preview, async (tx) => {
        await tx.query(sql`select pg_catalog.pg_advisory_xact_lock(${LOCK}::int8)`)
        await grantOnly(tx, preview.role, entries)
        await tx.query(script('set transaction read only'))
        await tx.query(preview.become)
        for (const [name, value] of Object.entries({ jit: 'off', ...person }))
          await tx.query(sql`select pg_catalog.set_config(${name}, ${value}, true)`)
        // Settings of the session end with the transaction too, because it is rolled back.
        await tx.query(session)
        return work({ query: (statement) => tx.query(statement) })
      }),
  }
}

/** Ends the transaction with what it found out. `Db.tx` rolls back whatever throws. */
class Found<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('rolled back')
    this.result = result
  }
}

async function rolledBack<T>({ owner, isReader }: PreviewDb, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await owner.tx<never>(
      async (tx) => {
        throw new Found(await work(tx))
      },
      { timeoutMs: STATEMENT_MS },
    )
  } catch (error) {
    if (error instanceof Found) return error.result as T
    if (!isReader && isRefused(error)) throw new GrantedByName(error)
    throw isChanging(error) ? beingChanged(error) : error
  }
}

/** Rights that the owner gave to the role of questions by its name, such as on a function, which the role of previews lacks. */
export class GrantedByName extends ServiceError {
  constructor(cause: unknown) {
    const detail =
      'A right that the search needs is granted to the role of questions by name, and a check or preview runs as another role. Save the configuration: that tries it out as the role of questions.'
    super('CONFLICT', detail, { cause: withoutDatabaseText(cause) })
  }
}

function isRefused(error: unknown): boolean {
  return sqlStateOf(error) === '42501' && !isFilteredByPolicy(error)
}

/** The rights of the table were changed meanwhile, or are being changed by a transaction that waits for this one. */
function isChanging(error: unknown): boolean {
  return CHANGING_STATES.has(sqlStateOf(error) ?? '')
}
const CHANGING_STATES = new Set(['XX000', '40P01', '55P03'])

function beingChanged(cause: unknown): ServiceError {
  return new ServiceError('CONFLICT', 'The rights of the tables are being changed. Try again in a second.', {
    cause: withoutDatabaseText(cause),
    retryAfterSeconds: 1,
  })
}
