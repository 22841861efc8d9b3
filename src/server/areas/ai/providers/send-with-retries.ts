import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '#contract/core/errors.ts'
import { OperatorFetchError } from '#lib/net/operator-fetch.ts'
import type { Outgoing } from './provider.ts'
import { providerFault } from './provider-fault.ts'

export type Delay = (ms: number, signal: AbortSignal) => Promise<unknown>

type Options = { outgoing: Outgoing; delay?: Delay; name: string; model: string; signal: AbortSignal }
type Failure = { error: ServiceError; waitMs?: number | undefined }

const RETRIES = 2
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 10_000
/** Reasons of a failure before the request was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])
/** 529 is Anthropic's for an overloaded service. */
const RETRIED = new Set([429, 500, 503, 529])

const sleep: Delay = (ms, signal) => wait(ms, undefined, { signal })

/** Retries only if the request was certainly not processed and the provider asks for a wait that fits into the timeout. */
export async function sendWithRetries(request: () => Request, options: Options): Promise<Response> {
  const { delay = sleep, signal } = options
  for (let tried = 1; ; tried++) {
    const result = await send(request(), options, FIRST_WAIT_MS * 2 ** (tried - 1))
    if (result instanceof Response) return result
    if (result.waitMs === undefined || tried > RETRIES) throw result.error
    await delay(result.waitMs, signal)
  }
}

async function send(request: Request, options: Options, waitMs: number): Promise<Response | Failure> {
  const { name, model } = options
  try {
    const response = await options.outgoing(request)
    return response.ok ? response : await refused(response, name, model, waitMs)
  } catch (error) {
    if (!(error instanceof OperatorFetchError)) throw error
    const failure = { error: providerFault(name, 'cannot be reached', error) }
    return wasSent(error) ? failure : { ...failure, waitMs }
  }
}

/** Whether the provider may have received the request that failed with this error. */
export function wasSent(error: OperatorFetchError): boolean {
  return !NOT_CONNECTED.has(codeOf(error.cause))
}

/** Drops the provider's own message, because it can quote the text or the key. */
async function refused(response: Response, name: string, model: string, waitMs: number): Promise<Failure> {
  const { status } = response
  await response.body?.cancel()
  if (status === 404) return { error: new ServiceError('NOT_FOUND', `The AI provider ${name} has no model ${model}.`) }
  if (status === 400 || status === 413 || status === 422) {
    return { error: new ServiceError('INVALID_REQUEST', `The AI provider ${name} rejected this input.`) }
  }
  if (status === 401 || status === 403) return { error: providerFault(name, 'refused its API key') }
  const error = providerFault(name, status === 429 ? 'is limiting requests' : `answered ${status}`)
  return RETRIED.has(status) ? { error, waitMs: askedWait(response, waitMs) } : { error }
}

/** Returns undefined if the wait would be too long. */
function askedWait(response: Response, otherwise: number): number | undefined {
  const header = response.headers.get('retry-after')
  if (header === null) return otherwise
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Number.NaN
  return ms <= MAX_WAIT_MS ? ms : undefined
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
