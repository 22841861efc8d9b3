import pg from 'pg'
import { ServiceError } from '#contract/core/errors.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { isFilteredByPolicy } from './row-security.ts'

/**
 * Drops the text of an error of a managed database and keeps its code. The text may repeat a row, a filter value or the
 * name of a column that was never exposed, and errors end in the log.
 */
export function withoutDatabaseText(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return new Error(`the managed database answered ${error.code}`)
  if (!(error instanceof DatabaseUnavailable)) return error
  const { message, retryAfterSeconds, cause } = error
  return new DatabaseUnavailable(message, { retryAfterSeconds, cause: withoutDatabaseText(cause) })
}

/**
 * https://www.postgresql.org/docs/15/errcodes-appendix.html: no such table or column, not granted, other type or size;
 * 26000 where the embedded engine could not prepare again a statement it knew.
 */
const CHANGED_STATES = new Set([
  '42P01',
  '42703',
  '42501',
  '42883',
  '42804',
  '22000',
  '3F000',
  '42704',
  '0A000',
  '26000',
])

/** The error to throw for a failed search: SOURCE_CHANGED if the database no longer fits the saved configuration. */
export function searchError(error: unknown): unknown {
  if (!CHANGED_STATES.has(sqlStateOf(error) ?? '')) return withoutDatabaseText(error)
  const change = isFilteredByPolicy(error) ? 'Row-level security was switched on' : 'The database changed'
  return sourceChanged(change, withoutDatabaseText(error))
}

/** As `searchError`, for a search by person: there a policy can fail for the claims of one person alone. */
export function personalSearchError(error: unknown): unknown {
  const state = sqlStateOf(error) ?? ''
  if (!/^(?:22|P0)/.test(state) || CHANGED_STATES.has(state)) return searchError(error)
  return new PolicyFailure(state, withoutDatabaseText(error))
}

/** A policy could not be evaluated for the claims of the person who asks. */
export class PolicyFailure extends ServiceError {
  constructor(state: string, cause: unknown) {
    const message = `The row-level security policies of this data source failed for you (${state}). A developer of the organization can correct them.`
    super('SOURCE_CHANGED', message, { cause })
  }
}

export function sourceChanged(change: string, cause?: unknown): ServiceError {
  const message = `${change} after this data source was configured. Save its search configuration again.`
  return new ServiceError('SOURCE_CHANGED', message, { cause })
}

/** Whether a filter value cannot be held by the type of its column, such as a word by a uuid. No row has it. */
export function isValueMisfit(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === '22P02' || state === '22003'
}

/** Whether there is no such function or operator (42883). Types that have no order lack one too. */
export function lacksFunction(error: unknown): boolean {
  return sqlStateOf(error) === '42883'
}

/** The SQLSTATE of an error of a database; undefined where there is none. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
