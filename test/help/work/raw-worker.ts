import type { z } from 'zod'
import type { Client } from '#contract/core/client.ts'
import {
  connectWorker,
  type ReportedResult,
  reportResults,
  type WorkerEvent,
  workerHeartbeat,
} from '#contract/workers.ts'

type Registration = Omit<z.input<(typeof connectWorker)['input']>, 'alias' | 'sdk_version'>
type Work = Extract<WorkerEvent, { type: 'call' }>

/** A worker that speaks the protocol by hand, so that a test decides when it answers and what it forgets. */
export async function connectRawWorker(client: Client, alias: string, registration: Registration) {
  const leaving = new AbortController()
  const input = { alias, sdk_version: '0.0.18', ...registration }
  const events = client.stream(connectWorker, input, { signal: leaving.signal })
  const next = async (): Promise<WorkerEvent> => {
    const { value, done } = await events.next()
    if (done) throw new Error('the stream has ended')
    return value
  }
  const first = await next()
  if (first.type !== 'connected') throw new Error(`the first event is ${first.type}`)
  const worker_id = first.worker_id
  const close = async () => {
    leaving.abort()
    await events.return(undefined).catch(() => {})
  }
  return {
    worker_id,
    next,
    /** Skips cancellations. */
    async nextCall(): Promise<Work> {
      for (;;) {
        const event = await next()
        if (event.type === 'call') return event
      }
    },
    report: (...results: ReportedResult[]) => client.call(reportResults, { alias, worker_id, results }),
    heartbeat: (calls: string[] = [], stopping = false) =>
      client.call(workerHeartbeat, { alias, worker_id, calls, stopping }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
