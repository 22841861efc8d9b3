import { notFound, ServiceError } from '#contract/core/errors.ts'
import {
  connectWorker,
  MAX_OUTPUT_BYTES,
  type ReportedResult,
  reportLogs,
  reportResults,
  WORKER_HEARTBEAT_SECONDS,
  workerHeartbeat,
} from '#contract/workers.ts'
import { type Route, route } from '#edge/route/route.ts'
import { notifyWorker } from '../calls/channels.ts'
import { endCalls } from '../calls/finish.ts'
import type { CallKindHooks, CallResult } from '../calls/kinds.ts'
import type { LocalStream, LocalStreams } from '../calls/local-streams.ts'
import { endFunctions, findRunningIds, lockRunning } from '../calls/store.ts'
import type { WaitingCalls } from '../calls/waiting.ts'
import type { PipelineDeps } from '../deps.ts'
import { checkFunctions } from '../functions/check-functions.ts'
import { requireOwnApp } from './own-app.ts'
import { createReconnects } from './reconnects.ts'
import { register } from './register.ts'
import { closeStream, isOwnWorker, type OwnWorker, removeServed, renewWorker } from './store.ts'
import { workerEvents } from './stream.ts'

type WorkerDeps = PipelineDeps & {
  readonly pipelines: CallKindHooks
  readonly waiting: WaitingCalls
  readonly streams: LocalStreams
}

export function workerRoutes(deps: WorkerDeps): Route[] {
  const { db, onError } = deps
  const reconnects = createReconnects(deps)
  return [
    route(connectWorker, async function* (input, { principal, signal }) {
      refuseTwice('functions', input.functions)
      refuseTwice('pipelines', input.pipelines)
      checkFunctions(input.functions)
      const app = await requireOwnApp(deps, principal, input.alias)
      const worker = await db.tx((tx) => register(tx, app, input, deps.pipelines))
      await reconnects.connected()
      try {
        yield { type: 'connected' as const, worker_id: worker.id, heartbeat_seconds: WORKER_HEARTBEAT_SECONDS }
        const received = worker.id === input.worker_id ? input.calls : []
        yield* workerEvents(deps, {
          worker,
          appId: app.appId,
          principalId: app.principalId,
          functions: new Set(input.functions.map(({ name }) => name)),
          concurrency: input.concurrency,
          hasPipelines: input.pipelines.length > 0,
          received,
          signal,
        })
      } finally {
        await reconnects.ended().catch(onError)
        await closeStream(db, worker).catch(onError)
      }
    }),
    route(workerHeartbeat, async ({ alias, worker_id, calls, stopping }, { principal }) => {
      const app = await requireOwnApp(deps, principal, alias)
      const own = { ...app, workerId: worker_id }
      if (!(await renewWorker(db, own))) throw notFound('worker')
      if (stopping) await removeServed(db, worker_id)
      const running = new Set(calls.length === 0 ? [] : await findRunningIds(db, worker_id, calls))
      return { cancel: calls.filter((id) => !running.has(id)) }
    }),
    route(reportResults, async ({ alias, worker_id, results }, { principal }) => {
      const app = await requireOwnApp(deps, principal, alias)
      return takeResults(deps, { ...app, workerId: worker_id }, results)
    }),
    route(reportLogs, async ({ alias, worker_id, call_id, fence, lines }, { principal }) => {
      const app = await requireOwnApp(deps, principal, alias)
      await requireWorker(deps, { ...app, workerId: worker_id })
      const accepted = await db.tx(async (tx) => {
        const [call] = await lockRunning(tx, worker_id, [call_id])
        if (call?.fence !== fence) return false
        const dated = lines.map(({ at, level, text }) => ({ at: new Date(at), level, text: cleanText(text) }))
        if (call.kind === 'pipeline') await deps.pipelines.logged?.(tx, call, dated)
        return true
      })
      return { accepted }
    }),
  ]
}

/**
 * Ends each call whose fence fits. A result that comes again, or too late, is refused and changes nothing. If the end of a
 * call that was answered already fails, its worker reports it again, because it is told only what is on disk.
 */
async function takeResults(deps: WorkerDeps, own: OwnWorker, results: readonly ReportedResult[]) {
  const awaited = results.filter(({ call_id }) => deps.waiting.has(call_id))
  const held = deps.streams.find(own.appId, own.workerId)
  using _ending = held && answerEarly(deps, own, held, awaited)
  const by = { ...own, heldStream: held?.stream ?? null }
  const quick = awaited.length === 0 ? [] : await endFunctions(deps.db, by, awaited)
  if (quick.length > 0) held?.wake()
  const unanswered = awaited.filter(({ call_id }) => quick.includes(call_id) && deps.waiting.has(call_id))
  for (const result of unanswered) deps.waiting.settle(result.call_id, toResult(result))
  const rest = results.filter(({ call_id }) => !quick.includes(call_id))
  const slow = rest.length === 0 ? [] : await endOthers(deps, own, rest)
  const accepted = [...quick, ...slow]
  return { accepted, refused: results.map(({ call_id }) => call_id).filter((id) => !accepted.includes(id)) }
}

/**
 * Hands over the results of calls that this process gave to the worker, before their end is on disk. Does nothing for a
 * worker without a free place: the caller's next call would come before its place is free, and would have to be queued.
 * Dispose of the result when the calls have ended.
 */
function answerEarly(
  { waiting }: WorkerDeps,
  { workerId, principalId }: OwnWorker,
  held: LocalStream,
  awaited: readonly ReportedResult[],
): Disposable | undefined {
  if (held.principalId !== principalId || waiting.countGranted(workerId) + held.ending >= held.concurrency) return
  const ours = awaited.filter(({ call_id, fence }) => waiting.wasGranted(call_id, { workerId, fence }))
  held.ending += ours.length
  for (const result of ours) waiting.settle(result.call_id, toResult(result))
  return {
    [Symbol.dispose]: () => {
      held.ending -= ours.length
    },
  }
}

/** Ends calls that have rows of their own, or that another replica waits for. */
async function endOthers(deps: WorkerDeps, own: OwnWorker, results: readonly ReportedResult[]): Promise<string[]> {
  const { db, waiting } = deps
  await requireWorker(deps, own)
  const byId = new Map(results.map((result) => [result.call_id, result]))
  const ended = await db.tx(async (tx) => {
    const running = await lockRunning(tx, own.workerId, [...byId.keys()])
    const fitting = running.filter(({ id, fence }) => byId.get(id)!.fence === fence)
    if (fitting.length === 0) return []
    const done = fitting.map((call) => ({ call, result: toResult(byId.get(call.id)!) }))
    await endCalls(tx, deps, done, (id) => waiting.has(id))
    const ids = fitting.map(({ id }) => id)
    await notifyWorker(tx, own.workerId, 'ended', ids)
    return done
  })
  for (const { call, result } of ended) waiting.settle(call.id, result)
  return ended.map(({ call }) => call.id)
}

function toResult({ output, error }: ReportedResult): CallResult {
  if (error !== undefined) return failed(cleanText(error))
  if (Buffer.byteLength(JSON.stringify(output ?? null)) > MAX_OUTPUT_BYTES) {
    return failed(`The result is larger than ${MAX_OUTPUT_BYTES} bytes.`)
  }
  return { ok: true, output: output ?? null }
}

function failed(message: string): CallResult {
  return { ok: false, code: 'FUNCTION_FAILED', message }
}

/** Text that the database can store. */
function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

async function requireWorker({ db }: WorkerDeps, own: OwnWorker): Promise<void> {
  if (!(await isOwnWorker(db, own))) throw notFound('worker')
}

function refuseTwice(key: string, definitions: readonly { readonly name: string }[]): void {
  const names = definitions.map(({ name }) => name)
  const twice = names.findIndex((name, i) => names.indexOf(name) !== i)
  if (twice < 0) return
  const message = `${names[twice]} is registered twice`
  const path = `${key}.${twice}.name`
  throw new ServiceError('INVALID_REQUEST', `${path}: ${message}`, { errors: [{ path, message }] })
}
