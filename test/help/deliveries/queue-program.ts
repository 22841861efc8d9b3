import { flushCompileCache } from 'node:module'
import { Logger, run } from 'graphile-worker'

/** As many at once as a worker of ours. */
const CONCURRENCY = 64

/**
 * A worker of another queue, for comparison: graphile-worker with the handler that its guide shows, which throws when
 * the request fails and is then run again. Arguments: the database's URL, the sink's port.
 */
const [connectionString, port] = process.argv.slice(2)
const report = (event: string, details: object = {}) =>
  process.stdout.write(`${JSON.stringify({ event, ...details })}\n`)

const deliver = async (payload: unknown) => {
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify([payload]) })
  if (!response.ok) throw new Error(`answered ${response.status}`)
}

process.on('uncaughtException', (error) => report('error', { message: String(error) }))
await run({
  connectionString: connectionString!,
  concurrency: CONCURRENCY,
  noHandleSignals: true,
  logger: new Logger(() => () => {}),
  taskList: { deliver },
  crontab: '',
})
report('started')
// Most of these processes are killed, and would write what they compiled only at their end.
flushCompileCache()
