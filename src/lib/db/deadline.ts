import type pg from 'pg'

/**
 * Time that a server gets beyond its own `statement_timeout`, so that a slow statement ends with the server's error
 * and only a server that says nothing at all costs the connection.
 */
export const ANSWER_MARGIN_MS = 1_000

/**
 * Waits for what was sent on this connection. Without an answer in `limitMs` the socket is destroyed: a paused server
 * or a network that drops packets never answers, and what is waited for then fails with ETIMEDOUT. Undefined waits for
 * ever.
 */
export async function withDeadline<T>(
  client: Pick<pg.Client, 'connection'>,
  limitMs: number | undefined,
  send: () => Promise<T>,
): Promise<T> {
  if (limitMs === undefined) return send()
  const timer = setTimeout(() => client.connection.stream.destroy(noAnswer(limitMs)), limitMs)
  try {
    return await send()
  } finally {
    clearTimeout(timer)
  }
}

function noAnswer(limitMs: number): Error {
  return Object.assign(new Error(`Postgres did not answer in ${Math.round(limitMs)} ms`), { code: 'ETIMEDOUT' })
}
