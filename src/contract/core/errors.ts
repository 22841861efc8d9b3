/**
 * Every refusal the product can give: code -> HTTP status, CLI exit code, what MCP answers.
 * `tool` is a failed tool call the model can read and mend; `protocol` is a JSON-RPC error.
 * Nothing else maps errors.
 */
export const ERRORS = {
  INVALID_REQUEST: { status: 400, exit: 5, mcp: 'tool', title: 'The request is not valid' },
  INVALID_SEARCH_CONFIGURATION: { status: 400, exit: 5, mcp: 'tool', title: 'Invalid search configuration' },
  MALFORMED_REQUEST: { status: 400, exit: 5, mcp: 'protocol', title: 'The request cannot be read' },
  INVALID_TOKEN: { status: 401, exit: 3, mcp: 'protocol', title: 'Not signed in' },
  FORBIDDEN: { status: 403, exit: 3, mcp: 'tool', title: 'Not allowed' },
  CSRF: { status: 403, exit: 3, mcp: 'protocol', title: 'Sent from another site' },
  READ_ONLY_SESSION: { status: 403, exit: 3, mcp: 'tool', title: 'This session is read-only' },
  NOT_FOUND: { status: 404, exit: 4, mcp: 'tool', title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, exit: 1, mcp: 'protocol', title: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, exit: 7, mcp: 'protocol', title: 'The request took too long' },
  CONFLICT: { status: 409, exit: 6, mcp: 'tool', title: 'Conflict' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, exit: 6, mcp: 'tool', title: 'Idempotency key already used' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, exit: 6, mcp: 'tool', title: 'The first request is still running' },
  OUTCOME_UNKNOWN: { status: 409, exit: 6, mcp: 'tool', title: 'The outcome of the first request is unknown' },
  LAST_OWNER: { status: 409, exit: 6, mcp: 'tool', title: 'The last owner stays' },
  INVITATION_INVALID: { status: 409, exit: 6, mcp: 'tool', title: 'The invitation cannot be used' },
  EXPOSED_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many exposed data sources' },
  NO_SEARCH_CONFIGURED: { status: 409, exit: 6, mcp: 'tool', title: 'No semantic search configured' },
  SOURCE_CHANGED: { status: 409, exit: 6, mcp: 'tool', title: 'The data source changed' },
  SOURCE_OFF: { status: 409, exit: 6, mcp: 'tool', title: 'The data source is switched off' },
  ORG_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many organizations' },
  DATABASE_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many databases' },
  DATABASE_EXPOSED: { status: 409, exit: 6, mcp: 'tool', title: 'The database is exposed as a data source' },
  PAYLOAD_TOO_LARGE: { status: 413, exit: 5, mcp: 'protocol', title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exit: 5, mcp: 'protocol', title: 'Unsupported media type' },
  EXPECTATION_FAILED: { status: 417, exit: 1, mcp: 'protocol', title: 'The expectation cannot be met' },
  RATE_LIMITED: { status: 429, exit: 1, mcp: 'tool', title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, exit: 1, mcp: 'protocol', title: 'The headers are too large' },
  INTERNAL: { status: 500, exit: 1, mcp: 'tool', title: 'Something went wrong' },
  UNAVAILABLE: { status: 503, exit: 1, mcp: 'tool', title: 'Temporarily unavailable' },
  TIMEOUT: { status: 504, exit: 7, mcp: 'tool', title: 'Timed out' },
} as const satisfies Record<string, { status: number; exit: number; mcp: 'tool' | 'protocol'; title: string }>

export type ErrorCode = keyof typeof ERRORS
export type Fault = { path: string; message: string }

/** RFC 9457 problem details, with our stable `code` and, where there are several faults, `errors`. */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  code: ErrorCode
  request_id?: string
  errors?: Fault[]
}

type Extras = {
  errors?: Fault[]
  retryAfterSeconds?: number
  /** What `WWW-Authenticate` says, where it says more than `Bearer`. */
  challenge?: string
  /** Of the request that was refused, where another process answered it. */
  requestId?: string
  cause?: unknown
}

/** An expected refusal. Anything else that is thrown is a bug and answers INTERNAL. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly errors: Fault[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly challenge: string | undefined
  readonly requestId: string | undefined

  constructor(code: ErrorCode, detail: string, extras: Extras = {}) {
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.code = code
    this.errors = extras.errors
    this.retryAfterSeconds = extras.retryAfterSeconds
    this.challenge = extras.challenge
    this.requestId = extras.requestId
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  toProblem(requestId?: string): Problem {
    const { status, title } = ERRORS[this.code]
    return {
      type: `urn:svc:problem:${this.code.toLowerCase().replaceAll('_', '-')}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      ...(requestId && { request_id: requestId }),
      ...(this.errors && { errors: this.errors }),
    }
  }
}

/**
 * Makes the not-found answer of a resource or, without `kind`, of a path. Unknown, hidden and switched-off resources get
 * the same text, so that callers cannot distinguish them.
 */
export function notFound(kind?: string): ServiceError {
  const detail =
    kind === undefined ? 'Nothing is served at this path. The API reference is at /docs.' : `No such ${kind}.`
  return new ServiceError('NOT_FOUND', detail)
}

/** A problem as it came over the wire, back into the error it was. */
export function fromProblem(problem: Partial<Problem>, status: number, retryAfterSeconds?: number): ServiceError {
  const code = problem.code && Object.hasOwn(ERRORS, problem.code) ? problem.code : codeOfStatus(status)
  return new ServiceError(code, problem.detail ?? ERRORS[code].title, {
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.request_id !== undefined && { requestId: problem.request_id }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** For answers that carry no code of ours: a proxy in between, say. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'INVALID_TOKEN'
  if (status === 408) return 'TIMEOUT'
  if (status === 422) return 'INVALID_REQUEST'
  if (status === 502 || status === 503) return 'UNAVAILABLE'
  const found = Object.entries(ERRORS).find(([, row]) => row.status === status)
  return (found?.[0] as ErrorCode | undefined) ?? 'INTERNAL'
}
