import pg from 'pg'

/** Connects a plain client. Disposing does not wait for its end, because the server ends some of them. */
export async function connectTo(connectionString: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await client.end().catch(() => undefined)
    },
  })
}

export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
    return 'no error'
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}
