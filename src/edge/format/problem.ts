import type { ZodError, z } from 'zod'
import { type Fault, ServiceError } from '#contract/core/errors.ts'
import type { Operation } from '#contract/core/operation.ts'
import { nearest } from '#contract/core/suggest.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { StoreUnavailable } from '#lib/kv/kv.ts'
import { OperatorFetchError } from '#lib/net/operator-fetch.ts'
import { faultText, REQUIRED } from './fault-text.ts'
import { encode, type Format } from './negotiate.ts'

/** Converts anything thrown into an error of the table. Unexpected errors become INTERNAL without their message. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof DatabaseUnavailable) {
    const { retryAfterSeconds, writeFault } = error
    const detail = writeFault
      ? `Nothing can be saved now: ${writeFault}. Try again later.`
      : 'The database is not available. Try again.'
    return unavailable(detail, error, retryAfterSeconds)
  }
  if (error instanceof StoreUnavailable) return unavailable('Redis is not available. Try again.', error)
  if (error instanceof OperatorFetchError) {
    return unavailable('A part of the service is not available. Try again.', error)
  }
  return new ServiceError('INTERNAL', 'Unexpected error. The operator can find it in the log by the request id.', {
    cause: error,
  })
}

function unavailable(detail: string, cause: Error, retryAfterSeconds = 1): ServiceError {
  return new ServiceError('UNAVAILABLE', detail, { cause, retryAfterSeconds })
}

/** These bound the answer, which must not grow with the request. */
export const MAX_LISTED_FAULTS = 20
const MAX_PATH_LENGTH = 200

/** Lists the faults of the caller's input, each with its path. Not for output: a mismatch there is a bug of ours. */
export function inputError({ issues }: Pick<ZodError, 'issues'>, issueCount = issues.length): ServiceError {
  const all = issues.flatMap(toFaults)
  const count = all.length + issueCount - issues.length
  const more = count > SHOWN_FAULTS ? `; and ${count - SHOWN_FAULTS} more` : ''
  return invalidRequest(withHints(all.slice(0, MAX_LISTED_FAULTS)), more)
}

/** Names the first fault of a large input, where the check stopped. */
export function partialInputError(issue: z.core.$ZodIssue): ServiceError {
  return invalidRequest(toFaults(issue), '; the rest of the input was not checked')
}

const UNKNOWN_KEY = 'unknown key'

/** Refuses keys that no schema knows, such as a path parameter that is also in the body. */
export function unknownKeys(keys: readonly string[]): ServiceError {
  const faults = keys.slice(0, MAX_LISTED_FAULTS).map((path) => ({ path, message: UNKNOWN_KEY }))
  return invalidRequest(faults, '')
}

const SHOWN_FAULTS = 3

function invalidRequest(faults: readonly Fault[], more: string): ServiceError {
  const errors = faults
    .slice(0, MAX_LISTED_FAULTS)
    .map(({ path, message }) => ({ path: path.slice(0, MAX_PATH_LENGTH), message }))
  const shown = errors
    .slice(0, SHOWN_FAULTS)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return new ServiceError('INVALID_REQUEST', shown.join('; ') + more, { errors })
}

/** Names the missing key that an unknown one probably stands for, as `id` for `source_id`. */
function withHints(faults: readonly Fault[]): Fault[] {
  const missing = faults.filter(({ message }) => message === REQUIRED).map(({ path }) => path)
  return faults.map((fault) => {
    const meant = fault.message === UNKNOWN_KEY ? meantKey(fault.path, missing) : undefined
    return meant === undefined ? fault : { ...fault, message: `${UNKNOWN_KEY}, did you mean ${meant}?` }
  })
}

function meantKey(path: string, missing: readonly string[]): string | undefined {
  return missing.find((name) => path.endsWith(`_${name}`)) ?? nearest(path, missing)
}

function toFaults(issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: faultText(issue) }]
  return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: UNKNOWN_KEY }))
}

export function problemResponse(
  error: ServiceError,
  format: Format,
  requestId: string,
  extra: Record<string, string> = {},
  shape?: Operation['refusals'],
): Response {
  const problem = error.toProblem(requestId)
  const { body, type } = encode({ ...problem, ...(shape && REFUSALS[shape](error)) }, format)
  const headers = {
    // Clients of OAuth read errors as application/json only (RFC 6749 section 5.2).
    'content-type': type === 'application/json' && shape !== 'oauth' ? 'application/problem+json' : type,
    ...problemHeaders(error, requestId),
    ...extra,
  }
  return new Response(body, { status: error.status, headers })
}

/** Returns the headers of a refusal, which are the same for a problem document and for a page. */
export function problemHeaders(error: ServiceError, requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(error.retryAfterSeconds)) }),
    ...(error.code === 'INVALID_TOKEN' && { 'www-authenticate': 'Bearer' }),
    ...(error.challenge !== undefined && { 'www-authenticate': error.challenge }),
    // The rest of a body that is too large is never read, so the connection cannot be used again.
    ...(error.code === 'PAYLOAD_TOO_LARGE' && { connection: 'close' }),
  }
}

/** Members of refusals beside the problem, so that clients of other protocols understand them. */
const REFUSALS: Record<NonNullable<Operation['refusals']>, (error: ServiceError) => object> = {
  openai: (error) => ({ error: openAiError(error) }),
  oauth: oauthError,
}

/**
 * Returns the error members of OAuth (RFC 6749 section 5.2). Clients take a fault without them, and `server_error`, as
 * a reason to make the person sign in again; after `temporarily_unavailable` they keep their tokens and try later.
 */
function oauthError({ message, status }: ServiceError) {
  const isTemporary = status === 429 || status >= 500
  return { error: isTemporary ? 'temporarily_unavailable' : 'invalid_request', error_description: message }
}

/** Returns the error object of the OpenAI API (platform.openai.com/docs/guides/error-codes), whose clients show it. */
export function openAiError({ message, status, code }: ServiceError) {
  return { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code }
}
