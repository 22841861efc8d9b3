import type pg from 'pg'

/**
 * Extra time beyond the server's own `statement_timeout`, so that a slow statement ends with the server's error and the
 * connection is destroyed only when the server does not answer at all.
 */
export const ANSWER_MARGIN_MS = 1_000

/**
 * Sends and waits for the answer at most `limitMs`. Then it destroys the socket and the call fails with ETIMEDOUT,
 * because a paused server or a network that drops packets never answers. Undefined waits without a limit.
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
