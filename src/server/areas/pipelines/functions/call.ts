import { performance } from 'node:perf_hooks'
import type { z } from 'zod'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { callFunction } from '#contract/functions.ts'
import { type Context, type Member, type Route, route } from '#edge/route/route.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { gather } from '#lib/work/gather.ts'
import { newCall } from '../calls/enqueue.ts'
import type { CallResult } from '../calls/kinds.ts'
import type { LocalStreams } from '../calls/local-streams.ts'
import type { NewCall } from '../calls/store.ts'
import type { WaitingCalls } from '../calls/waiting.ts'
import type { PipelineDeps } from '../deps.ts'
import type { CallActivity } from './activity.ts'
import { createInsert } from './insert.ts'
import { canonical } from './schema/canonical.ts'
import { type CheckedSchema, checkSchema } from './schema/check-schema.ts'
import { validate } from './schema/validate.ts'
import { type CallableFunction, type FunctionLookup, findFunctions } from './store.ts'

/** Calls of one app that may wait for a worker, its pipeline runs among them. */
const MAX_QUEUED_CALLS = 1_000
const MAX_CACHED_SCHEMAS = 1_000
/** The status that Activity shows for a call whose caller closed the connection. */
const CLIENT_CLOSED_STATUS = 499

type FunctionDeps<Draft extends { id: string }> = PipelineDeps & {
  readonly activity: CallActivity<Draft>
  readonly waiting: WaitingCalls
  readonly streams: LocalStreams
}
type Input = Pick<z.output<(typeof callFunction)['input']>, 'alias' | 'name' | 'arguments' | 'timeout_seconds'>
type Answer = { call_id: string; result: unknown }

export function callRoute<Draft extends { id: string }>(deps: FunctionDeps<Draft>): Route {
  const insert = createInsert(deps)
  const schemaOf = createSchemas()
  const find = gather((lookups: readonly FunctionLookup[]) => findFunctions(deps.db, lookups))
  const answer = async (input: Input, context: Context<Member>): Promise<Answer> => {
    const startedMs = performance.now()
    const draft = draftOf(deps, input, context)
    let call: NewCall | undefined
    let status = 500
    let answerBytes = 0
    try {
      const { found, orgId } = await findCallable(deps, input, context.principal, { schemaOf, find })
      const inserted = toCall(deps, orgId, found, input)
      call = inserted
      const insertion = () => insert({ draft, call: { ...inserted, arguments: input.arguments } })
      const result = await runCall(deps, inserted, insertion, context.signal)
      if (!result.ok) throw new ServiceError(result.code, result.message)
      status = 200
      answerBytes = Buffer.byteLength(JSON.stringify(result.output))
      return { call_id: call.id, result: result.output }
    } catch (error) {
      if (error instanceof ServiceError) status = error.status
      if (context.signal.aborted) status = CLIENT_CLOSED_STATUS
      if (!call) await insert({ draft, call: undefined })
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

type SchemaOf = (found: CallableFunction) => CheckedSchema

/** Keeps checked schemas by their text, because compiling their patterns costs more than a call. */
function createSchemas(): SchemaOf {
  const cache = createBoundedCache<string, CheckedSchema>({ max: MAX_CACHED_SCHEMAS })
  return ({ input_schema }) =>
    cache.getOrMake(input_schema, () => {
      const checked = checkSchema(JSON.parse(input_schema))
      if (!('root' in checked)) throw new Error(`a registered schema is not valid: ${checked.path} ${checked.message}`)
      return checked
    })
}

async function findCallable<Draft extends { id: string }>(
  { apps }: FunctionDeps<Draft>,
  input: Input,
  { org_id: orgId }: Member,
  { schemaOf, find }: { schemaOf: SchemaOf; find: (lookup: FunctionLookup) => Promise<CallableFunction | undefined> },
): Promise<{ found: CallableFunction; orgId: string }> {
  const app = await apps.find(orgId, input.alias)
  const found = app && (await find({ appId: app.id, name: input.name }))
  if (!found) throw notFound('function')
  const errors = validate(schemaOf(found), input.arguments)
  if (errors.length > 0) {
    const detail = errors.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
    const more = errors.length > 3 ? `; and ${errors.length - 3} more` : ''
    throw new ServiceError('INVALID_REQUEST', detail.join('; ') + more, { errors })
  }
  if (!found.connected) {
    const detail = `No worker that serves ${input.name} is connected. Start the app ${input.alias}, or its worker, and try again.`
    throw new ServiceError('NO_WORKER', detail)
  }
  if (found.queued >= MAX_QUEUED_CALLS) {
    const detail = `${MAX_QUEUED_CALLS} calls of this app wait for a worker, which is the limit. Try again later.`
    throw new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds: 5 })
  }
  return { found, orgId }
}

function toCall(deps: Pick<PipelineDeps, 'sealer'>, orgId: string, found: CallableFunction, input: Input): NewCall {
  return newCall(deps.sealer, {
    orgId,
    appId: found.app_id,
    kind: 'function',
    name: input.name,
    input: input.arguments,
    repeatable: found.repeatable,
    timeoutSeconds: Math.min(found.timeout_seconds, input.timeout_seconds ?? found.timeout_seconds),
  })
}

/** Waits for the result until the call's time is over or the caller goes away, which both cancel it. */
async function runCall(
  { waiting }: { waiting: WaitingCalls },
  { id, timeoutSeconds }: NewCall,
  insert: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<CallResult> {
  const { result } = await waiting.expect(id)
  const outcome = Promise.withResolvers<CallResult | 'stopped'>()
  const onStop = () => outcome.resolve('stopped')
  let timer: NodeJS.Timeout | undefined
  try {
    await insert()
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
