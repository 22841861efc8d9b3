import pg from 'pg'
import { ANSWER_MARGIN_MS, withDeadline } from './deadline.ts'
import { unavailableFrom } from './errors.ts'
import { refuseInTransaction } from './transaction-guard.ts'

export type SendText = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

const CONNECT_LIMIT_MS = 10_000

/**
 * Runs `work` on a connection outside the pool: for another database of the server, and for statements such as CREATE
 * DATABASE that take longer than usual and cannot be part of a transaction.
 */
export async function onConnection<T>(
  connectionString: string,
  limitMs: number,
  work: (send: SendText) => Promise<T>,
): Promise<T> {
  refuseInTransaction('a second connection')
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: limitMs,
    application_name: 'svc',
  })
  // The running statement fails with the reason. Without a listener the `error` event would end the process.
  client.on('error', () => undefined)
  const send: SendText = async <Row>(text: string, values: readonly unknown[] = []) => {
    const ask = () => client.query({ text, values: [...values] })
    return (await withDeadline(client, limitMs + ANSWER_MARGIN_MS, ask)).rows as Row[]
  }
  try {
    await client.connect()
    return await work(send)
  } catch (error) {
    throw unavailableFrom(error) ?? error
  } finally {
    await withDeadline(client, ANSWER_MARGIN_MS, () => client.end())
  }
}
