import pg from 'pg'
import type { Sql } from './sql.ts'

/**
 * Runs a statement after another one that returns no row. Both are sent before one Sync, which Postgres runs as one
 * transaction: an error or a cancellation undoes both, no transaction is ever left open on the connection, and it takes
 * one round trip.
 *
 * Both are unnamed. Postgres decides when it parses a statement which row-level security it adds, and goes by that
 * decision for as long as the statement is prepared, also after the rights of the role have changed.
 */
export async function runAfter<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  before: Sql,
  { text, values }: Sql,
): Promise<Row[]> {
  const extended = { text, values: [...values], queryMode: 'extended' }
  const query = new pg.Query<Row>(extended)
  const submit = query.submit.bind(query)
  query.submit = (connection) => {
    connection.stream.cork()
    try {
      connection.parse({ name: '', text: before.text, types: [] }, true)
      connection.bind({ values: before.values.map(String) }, true)
      connection.execute(null, true)
      // The driver expects the error of values that cannot be sent to be returned.
      return submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }
  const { promise, resolve, reject } = Promise.withResolvers<Row[]>()
  const rows: Row[] = []
  query.on('row', (row) => rows.push(row))
  query.on('error', (error) => {
    // The stack of the driver's error begins where the socket is read. This one begins where the statement was run.
    Error.captureStackTrace(error)
    reject(error)
  })
  query.on('end', () => resolve(rows))
  client.query(query)
  return promise
}
