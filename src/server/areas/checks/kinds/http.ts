import type { DefinitionOf } from '#contract/checks/definition.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import { SafeFetchError } from '#lib/net/safe-fetch-error.ts'
import type { AppProbe } from '#ports/apps.ts'
import type { CheckedApp, Outcome, Restarting } from './outcome.ts'
import { readStart } from './read-start.ts'

export type HttpDeps = { readonly probe: Pick<AppProbe, 'get'>; readonly safeFetch: SafeFetch }

type HttpDefinition = DefinitionOf<'http'>
type Answer = { readonly status: number; readonly text: string }

/** How much of an answer is searched for the expected text. */
const MAX_BODY_BYTES = 64 * 1024

/**
 * Runs an HTTP check. Paths are asked at the app itself and addresses through safe fetch. An app that does not answer
 * fails the check; a check that could not ask is in error. Rejects if the signal is aborted.
 */
export function runHttp(
  deps: HttpDeps,
  app: CheckedApp,
  definition: HttpDefinition,
  signal: AbortSignal,
): Promise<Outcome | Restarting> {
  return definition.target.startsWith('/')
    ? askApp(deps, app, definition, signal)
    : askAddress(deps, definition, signal)
}

async function askApp({ probe }: HttpDeps, app: CheckedApp, definition: HttpDefinition, signal: AbortSignal) {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(definition.timeout_seconds * 1000)])
  try {
    const answer = await probe.get(app, definition.target, limit)
    if (answer.type === 'restarting') return answer.type
    if (answer.type !== 'answered') return WITHOUT_ANSWER[answer.type]
    const { status, body } = answer.response
    if (definition.contains === null) {
      await body?.cancel()
      return judge(definition, 'The app', { status, text: '' })
    }
    const start = await readStart(answer.response, MAX_BODY_BYTES, limit)
    return start ? judge(definition, 'The app', { status, text: start.text }) : WITHOUT_ANSWER.no_answer
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) return timedOut(definition, 'The app')
    throw error
  }
}

const WITHOUT_ANSWER = {
  no_address: {
    verdict: 'error',
    code: 'no_address',
    detail: 'The app has no start command, so svc knows no address of it. Give the check an address with https://.',
  },
  not_running: { verdict: 'fail', code: 'not_running', detail: 'The app is not running.' },
  no_answer: { verdict: 'fail', code: 'no_answer', detail: 'The app did not answer the request.' },
} as const satisfies Record<string, Outcome>

async function askAddress({ safeFetch }: HttpDeps, definition: HttpDefinition, signal: AbortSignal): Promise<Outcome> {
  const { origin } = new URL(definition.target)
  try {
    const { status, body } = await safeFetch(definition.target, {
      headers: { 'user-agent': 'svc-check' },
      signal,
      timeoutMs: definition.timeout_seconds * 1000,
      maxResponseBytes: MAX_BODY_BYTES,
    })
    return judge(definition, origin, { status, text: Buffer.from(body).toString('utf8') })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SafeFetchError) return judgeFault(definition, origin, error)
    throw error
  }
}

function judgeFault(definition: HttpDefinition, origin: string, error: SafeFetchError): Outcome {
  switch (error.reason) {
    case 'redirect':
      return judge(definition, origin, { status: error.status ?? 0, text: '' })
    case 'timeout':
      return timedOut(definition, origin)
    case 'connect':
    case 'io':
    case 'too_large':
      return { verdict: 'fail', code: 'no_answer', detail: `${origin} did not answer the request.` }
    // The check asks something that it must not ask, or the names cannot be looked up here: no fault of the app.
    case 'refused_address':
    case 'refused_url':
      return { verdict: 'error', code: error.reason, detail: `svc does not send requests to ${origin}.` }
    case 'dns':
    case 'aborted':
      return { verdict: 'error', code: error.reason, detail: `The address of ${origin} could not be looked up.` }
    default:
      return error.reason satisfies never
  }
}

function judge({ expected_status, contains }: HttpDefinition, who: string, { status, text }: Answer): Outcome {
  const isExpected = expected_status === null ? status >= 200 && status < 400 : status === expected_status
  if (!isExpected) {
    const expected = expected_status === null ? '200 to 399' : String(expected_status)
    return { verdict: 'fail', code: 'wrong_status', detail: `${who} answered ${status} instead of ${expected}.` }
  }
  if (contains !== null && !text.includes(contains)) {
    return { verdict: 'fail', code: 'text_missing', detail: `${who} answered ${status} without the expected text.` }
  }
  return { verdict: 'pass', code: 'answered', detail: `${who} answered ${status}.` }
}

function timedOut({ timeout_seconds }: HttpDefinition, who: string): Outcome {
  return { verdict: 'fail', code: 'timeout', detail: `${who} did not answer within ${timeout_seconds} seconds.` }
}
