import type { Db } from '#lib/db/db.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { Spans } from '#lib/tracing/spans.ts'
import type { JobKind } from '#lib/work/job-kind.ts'

/** Gives each query and transaction of a request or a job a span. The statement is left out: it may name a table. */
export function tracedDb(db: Db, spans: Spans): Db {
  return {
    ...db,
    query: (statement) => spans.runInside({ name: 'database query', kind: 'client' }, () => db.query<never>(statement)),
    tx: (run, options) => spans.runInside({ name: 'database transaction', kind: 'client' }, () => db.tx(run, options)),
  }
}

type Outgoing = (request: Request) => Promise<Response>

/** Only the host is recorded, because addresses of webhooks and providers hold secrets. */
export function tracedOutgoing(send: Outgoing, spans: Spans): Outgoing {
  return (request) =>
    spans.run({ name: `call ${new URL(request.url).host}`, kind: 'client' }, async (open) => {
      const response = await send(request)
      open.add({ 'http.response.status_code': response.status })
      return response
    })
}

export function tracedSafeFetch(send: SafeFetch, spans: Spans): SafeFetch {
  return (url, request) =>
    spans.run({ name: `call ${URL.parse(url)?.host ?? 'unknown'}`, kind: 'client' }, async (open) => {
      const response = await send(url, request)
      open.add({ 'http.response.status_code': response.status })
      return response
    })
}

export function tracedJobs(kind: JobKind, spans: Spans): JobKind {
  return {
    ...kind,
    run: (job, held) =>
      spans.run({ name: `job ${kind.name}`, kind: 'internal', facts: { 'svc.job': job.id } }, () =>
        kind.run(job, held),
      ),
  }
}
