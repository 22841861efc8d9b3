import { performance } from 'node:perf_hooks'
import type { z } from 'zod'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { callFunction } from '#contract/functions.ts'
import { type Context, type Member, type Route, route } from '#edge/route/route.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { AppName } from '#ports/apps.ts'
import { newCall } from '../calls/enqueue.ts'
import type { CallResult } from '../calls/kinds.ts'
import type { LocalStreams } from '../calls/local-streams.ts'
import type { NewCall } from '../calls/store.ts'
import type { WaitingCalls } from '../calls/waiting.ts'
import type { PipelineDeps } from '../deps.ts'
import type { CallActivity } from './activity.ts'
import { createDefinitions, type Definitions } from './definitions.ts'
import { createInsert, type FunctionCall } from './insert.ts'
import { canonical } from './schema/canonical.ts'
import type { CheckedSchema } from './schema/check-schema.ts'
import { validate } from './schema/validate.ts'
import type { CallableFunction } from './store.ts'

/** Calls of one app that may wait for a worker, its pipeline runs among them. */
const MAX_QUEUED_CALLS = 1_000
/** The status that Activity shows for a call whose caller closed the connection. */
const CLIENT_CLOSED_STATUS = 499

type FunctionDeps<Draft extends { id: string }> = PipelineDeps & {
  readonly activity: CallActivity<Draft>
  readonly waiting: WaitingCalls
  readonly streams: LocalStreams
}
type Input = Pick<z.output<(typeof callFunction)['input']>, 'alias' | 'name' | 'arguments' | 'timeout_seconds'>
type Ended = { readonly callId: string; readonly result: CallResult }
/** Returns undefined if the call was not inserted. */
type Run = (call: FunctionCall) => Promise<Ended | undefined>

export function callRoute<Draft extends { id: string }>(deps: FunctionDeps<Draft>): Route {
  const insert = createInsert(deps)
  const definitions = createDefinitions(deps.db)
  const answer = async (input: Input, context: Context<Member>) => {
    const startedMs = performance.now()
    const draft = draftOf(deps, input, context)
    let isRecorded = false
    let status = 500
    let answerBytes = 0
    const run: Run = async (call) => {
      const insertion = async () => {
        const record = isRecorded ? undefined : draft
        isRecorded = true
        return insert({ draft: record, call })
      }
      const result = await runCall(deps, call, insertion, context.signal)
      return result && { callId: call.id, result }
    }
    try {
      const app = await deps.apps.find(context.principal.org_id, input.alias)
      const { callId, result } =
        (app && (await callAtOnce({ ...deps, definitions }, app, input, run))) ??
        (await callFound({ ...deps, definitions }, app, input, run))
      if (!result.ok) throw new ServiceError(result.code, result.message)
      status = 200
      answerBytes = Buffer.byteLength(JSON.stringify(result.output))
      return { call_id: callId, result: result.output }
    } catch (error) {
      if (error instanceof ServiceError) status = error.status
      if (context.signal.aborted) status = CLIENT_CLOSED_STATUS
      if (!isRecorded) await insert({ draft, call: undefined })
      throw error
    } finally {
      const duration_ms = performance.now() - startedMs
      deps.activity.complete(draft.id, { status, duration_ms, answer_bytes: answerBytes, counted: false })
    }
  }
  return route(callFunction, answer, {
    // A call that the input rules refuse is on record too, without what was sent, not even as a digest.
    onRefused: async ({ error, params, startedMs }, context) => {
      const input = { alias: params.alias ?? '', name: params.name ?? '', arguments: {}, timeout_seconds: undefined }
      const draft = draftOf(deps, input, context)
      await insert({ draft, call: undefined })
      const duration_ms = performance.now() - startedMs
      deps.activity.complete(draft.id, { status: error.status, duration_ms, answer_bytes: 0, counted: false })
    },
  })
}

const MAX_TARGET_LENGTH = 100

function draftOf<Draft extends { id: string }>(
  { activity }: FunctionDeps<Draft>,
  { alias, name, arguments: sent }: Input,
  { principal, via }: Context<Member>,
): Draft {
  const target = `${alias}/${name}`.slice(0, MAX_TARGET_LENGTH).replaceAll('\0', '')
  return activity.draftCall({ org_id: principal.org_id, target, source: via, principal, arguments: canonical(sent) })
}

type CallDeps = Pick<PipelineDeps, 'sealer'> & { readonly streams: LocalStreams; readonly definitions: Definitions }

/**
 * Calls a function as it was when it was last found, which spares a statement. Returns undefined if that is not possible,
 * for instance because no stream of this process serves it, or because a worker has registered it since.
 */
async function callAtOnce(
  { sealer, streams, definitions }: CallDeps,
  { id: appId }: AppName,
  input: Input,
  run: Run,
): Promise<Ended | undefined> {
  const definition = streams.serves(appId, input.name) ? definitions.lastFound({ appId, name: input.name }) : undefined
  if (!definition || validate(definitions.schemaOf(definition), input.arguments).length > 0) return undefined
  return run({ ...toCall(sealer, definition, input), onlyAtVersion: definition.version })
}

async function callFound(
  { sealer, definitions }: CallDeps,
  app: AppName | undefined,
  input: Input,
  run: Run,
): Promise<Ended> {
  const definition = app && (await definitions.find({ appId: app.id, name: input.name }))
  if (!definition) throw notFound('function')
  requireValid(definitions.schemaOf(definition), input.arguments)
  requireReady(definition, input.alias)
  return (await run(toCall(sealer, definition, input)))!
}

function requireValid(schema: CheckedSchema, sent: Input['arguments']): void {
  const errors = validate(schema, sent)
  if (errors.length === 0) return
  const detail = errors.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
  const more = errors.length > 3 ? `; and ${errors.length - 3} more` : ''
  throw new ServiceError('INVALID_REQUEST', detail.join('; ') + more, { errors })
}

function requireReady({ name, connected, queued }: CallableFunction, alias: string): void {
  if (!connected) {
    const detail = `No worker that serves ${name} is connected. Start the app ${alias}, or its worker, and try again.`
    throw new ServiceError('NO_WORKER', detail)
  }
  if (queued >= MAX_QUEUED_CALLS) {
    const detail = `${MAX_QUEUED_CALLS} calls of this app wait for a worker, which is the limit. Try again later.`
    throw new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds: 5 })
  }
}

function toCall(sealer: Sealer, definition: CallableFunction, input: Input): FunctionCall {
  const call = newCall(sealer, {
    orgId: definition.org_id,
    appId: definition.app_id,
    kind: 'function',
    name: input.name,
    input: input.arguments,
    repeatable: definition.repeatable,
    timeoutSeconds: Math.min(definition.timeout_seconds, input.timeout_seconds ?? definition.timeout_seconds),
  })
  return { ...call, arguments: input.arguments }
}

/**
 * Waits for the result until the call's time is over or the caller goes away, which both cancel it. Returns undefined if the
 * call was not inserted.
 */
async function runCall(
  { waiting }: { waiting: WaitingCalls },
  { id, timeoutSeconds }: NewCall,
  insert: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<CallResult | undefined> {
  const { result } = await waiting.expect(id)
  const outcome = Promise.withResolvers<CallResult | 'stopped'>()
  const onStop = () => outcome.resolve('stopped')
  let timer: NodeJS.Timeout | undefined
  try {
    if (!(await insert())) return undefined
    timer = setTimeout(onStop, timeoutSeconds * 1000)
    signal.addEventListener('abort', onStop, { once: true })
    if (signal.aborted) onStop()
    result.then(outcome.resolve, outcome.reject)
    const ended = await outcome.promise
    if (ended !== 'stopped') return ended
    const message = `The function did not answer within ${timeoutSeconds} seconds. It was told to stop.`
    return (await waiting.cancel(id)) ?? { ok: false, code: 'TIMEOUT', message }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onStop)
    waiting.forget(id)
  }
}
