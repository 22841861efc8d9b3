import type { z } from 'zod'
import { ZodError } from 'zod'
import { type Fault, ServiceError } from '#contract/errors.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { OperatorFetchError } from '#lib/net/operator-fetch.ts'
import { encode, type Format } from './negotiate.ts'

/** Everything thrown becomes a refusal from the table; what was not expected tells nothing of its inside. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof DatabaseUnavailable) {
    const { retryAfterSeconds } = error
    return new ServiceError('UNAVAILABLE', 'the database cannot answer now; try again', {
      cause: error,
      retryAfterSeconds,
    })
  }
  if (error instanceof OperatorFetchError) {
    return new ServiceError('UNAVAILABLE', 'a part of the service cannot be reached; try again', {
      cause: error,
      retryAfterSeconds: 1,
    })
  }
  return new ServiceError('INTERNAL', 'an unexpected fault; the request id helps to find it', { cause: error })
}

/** Faults of the caller's input, each with where it is. Only for input: output that does not fit is our bug. */
export function inputError(error: ZodError): ServiceError {
  const errors = error.issues.flatMap(toFaults)
  const shown = errors.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  const more = errors.length > shown.length ? `; and ${errors.length - shown.length} more` : ''
  return new ServiceError('INVALID_REQUEST', shown.join('; ') + more, { errors })
}

export function isInputError(error: unknown): error is ZodError {
  return error instanceof ZodError
}

function toFaults(issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }]
  return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'unknown key' }))
}

export function problemResponse(
  error: ServiceError,
  format: Format,
  requestId: string,
  extra: Record<string, string> = {},
): Response {
  const { body, type } = encode(error.toProblem(requestId), format)
  const headers: Record<string, string> = {
    'content-type': type === 'application/json' ? 'application/problem+json' : type,
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(error.retryAfterSeconds)) }),
    ...(error.code === 'INVALID_TOKEN' && { 'www-authenticate': 'Bearer' }),
    // The rest of a body that is too large is never read, so the connection cannot be used again.
    ...(error.code === 'PAYLOAD_TOO_LARGE' && { connection: 'close' }),
    ...extra,
  }
  return new Response(body, { status: error.status, headers })
}
