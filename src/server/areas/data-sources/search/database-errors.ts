import pg from 'pg'
import { DatabaseUnavailable } from '#lib/db/errors.ts'

/** What a tenant's database says may repeat a row or a filter value, and errors end in the log: its code is enough. */
export function wordless(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return new Error(`the managed database answered ${error.code}`)
  if (!(error instanceof DatabaseUnavailable)) return error
  const { message, retryAfterSeconds, cause } = error
  return new DatabaseUnavailable(message, { retryAfterSeconds, cause: wordless(cause) })
}
