import pg from 'pg'
import type { ServiceError } from '#contract/core/errors.ts'
import { HintedError } from '../../../command/hinted-error.ts'

/** The person's own connection to a managed database. A connection that broke is opened again by the next query. */
export type Connection = {
  query<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 15_000

/** Opens a connection. Errors of Postgres are shown as they are, because the database belongs to the person. */
export async function openConnection(connectionString: string, database: string): Promise<Connection> {
  let current: pg.Client | undefined
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
    const forget = () => {
      if (current === client) current = undefined
    }
    client.on('error', forget).on('end', forget)
    await client.connect()
    current = client
    return client
  }
  const query = async <T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
    try {
      return (await (current ?? (await connect())).query<T>(text, [...values])).rows
    } catch (error) {
      throw error instanceof pg.DatabaseError ? refused(error) : unreachable(error, database)
    }
  }
  await query('select 1')
  const close = async (): Promise<void> => {
    await current?.end().catch(() => undefined)
  }
  return { query, close }
}

/** Writes a name so that SQL reads it exactly. */
export function quoteName(name: string): string {
  return pg.escapeIdentifier(name)
}

/** Writes a text so that SQL reads it exactly. */
export function quoteText(text: string): string {
  return pg.escapeLiteral(text)
}

/** The SQLSTATE that the database refused a query with. Returns undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof pg.DatabaseError ? cause.code : undefined
}

function refused(error: pg.DatabaseError): ServiceError {
  const hint = 'Rows that were written stay. Run the command again to continue.'
  return new HintedError('INVALID_REQUEST', `The database refused this: ${error.message}.`, hint, error)
}

function unreachable(error: unknown, database: string): ServiceError {
  const reason = error instanceof Error ? error.message : String(error)
  const hint = 'Rows that were written stay. Check that this machine can reach the database, then run it again.'
  return new HintedError('UNAVAILABLE', `No connection to the database ${database}: ${reason}.`, hint, error)
}
