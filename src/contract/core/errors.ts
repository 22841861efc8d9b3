/**
 * Every error code, with its HTTP status, CLI exit code and MCP answer. No other code maps errors.
 * `tool` is answered as a failed tool call, which the model can read and correct; `protocol` as a JSON-RPC error.
 */
export const ERRORS = {
  INVALID_REQUEST: { status: 400, exit: 5, mcp: 'tool', title: 'Invalid request' },
  INVALID_SEARCH_CONFIGURATION: { status: 400, exit: 5, mcp: 'tool', title: 'Invalid search configuration' },
  INVALID_REVISION: { status: 400, exit: 5, mcp: 'tool', title: 'Invalid revision' },
  MALFORMED_REQUEST: { status: 400, exit: 5, mcp: 'protocol', title: 'Malformed request' },
  INVALID_TOKEN: { status: 401, exit: 3, mcp: 'protocol', title: 'Not authenticated' },
  FORBIDDEN: { status: 403, exit: 3, mcp: 'tool', title: 'Not allowed' },
  CSRF: { status: 403, exit: 3, mcp: 'protocol', title: 'Cross-site request refused' },
  READ_ONLY_SESSION: { status: 403, exit: 3, mcp: 'tool', title: 'Read-only session' },
  PROPOSAL_OWN: { status: 403, exit: 3, mcp: 'tool', title: 'Proposal asked for by the same person' },
  NOT_FOUND: { status: 404, exit: 4, mcp: 'tool', title: 'Not found' },
  MAINTENANCE_AGENT_NOT_FOUND: { status: 404, exit: 4, mcp: 'tool', title: 'Maintenance agent not switched on' },
  METHOD_NOT_ALLOWED: { status: 405, exit: 1, mcp: 'protocol', title: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, exit: 7, mcp: 'protocol', title: 'Request timeout' },
  BODY_TOO_SLOW: { status: 408, exit: 7, mcp: 'protocol', title: 'Request body too slow' },
  CONFLICT: { status: 409, exit: 6, mcp: 'tool', title: 'Conflict' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, exit: 6, mcp: 'tool', title: 'Idempotency key already used' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, exit: 6, mcp: 'tool', title: 'First request still running' },
  OUTCOME_UNKNOWN: { status: 409, exit: 6, mcp: 'tool', title: 'Outcome of the first request unknown' },
  SESSION_CHANGED: { status: 409, exit: 6, mcp: 'protocol', title: 'Session changed' },
  LAST_OWNER: { status: 409, exit: 6, mcp: 'tool', title: 'Last owner cannot leave' },
  INVITATION_INVALID: { status: 409, exit: 6, mcp: 'tool', title: 'Invalid invitation' },
  EXPOSED_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many exposed data sources' },
  NO_SEARCH_CONFIGURED: { status: 409, exit: 6, mcp: 'tool', title: 'No semantic search configured' },
  SOURCE_CHANGED: { status: 409, exit: 6, mcp: 'tool', title: 'Data source changed' },
  SOURCE_OFF: { status: 409, exit: 6, mcp: 'tool', title: 'Data source switched off' },
  ORG_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many organizations' },
  DATABASE_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many databases' },
  DATABASE_EXPOSED: { status: 409, exit: 6, mcp: 'tool', title: 'Database exposed as a data source' },
  SUBSCRIPTION_EXISTS: { status: 409, exit: 6, mcp: 'tool', title: 'Subscription already exists' },
  SUBSCRIPTION_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many subscriptions' },
  CHANNEL_EXISTS: { status: 409, exit: 6, mcp: 'tool', title: 'Channel already exists' },
  CHANNEL_NOT_ACTIVE: { status: 409, exit: 6, mcp: 'tool', title: 'Channel not active' },
  CHANNEL_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many channels' },
  CHAT_NOT_CONNECTED: { status: 409, exit: 6, mcp: 'tool', title: 'No connected chat workspace' },
  CHAT_OTHER_WORKSPACE: { status: 409, exit: 6, mcp: 'tool', title: 'Chat account of another workspace' },
  CHAT_ACCOUNT_TAKEN: { status: 409, exit: 6, mcp: 'tool', title: 'Chat account already linked' },
  FORUM_NOT_CONNECTED: { status: 409, exit: 6, mcp: 'tool', title: 'Forum not connected' },
  FORUM_PROBE_FAILED: { status: 409, exit: 6, mcp: 'tool', title: 'Forum did not accept the settings' },
  UNSUBSCRIBED: { status: 409, exit: 6, mcp: 'tool', title: 'Recipient unsubscribed' },
  NOT_RESENDABLE: { status: 409, exit: 6, mcp: 'tool', title: 'Message cannot be sent again' },
  APP_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'App limit reached' },
  APP_NOT_STARTABLE: { status: 409, exit: 6, mcp: 'tool', title: 'App has no start command' },
  DEPLOYS_OFF: { status: 409, exit: 6, mcp: 'tool', title: 'Deploys switched off' },
  NOTHING_TO_ROLL_BACK: { status: 409, exit: 6, mcp: 'tool', title: 'No earlier revision' },
  REVISION_INCOMPLETE: { status: 409, exit: 6, mcp: 'tool', title: 'Files of the revision missing' },
  REVISION_STORE_FULL: { status: 409, exit: 6, mcp: 'tool', title: 'Revision store full' },
  NO_WORKER: { status: 409, exit: 6, mcp: 'tool', title: 'No worker connected' },
  WORKER_LIMIT: { status: 409, exit: 6, mcp: 'tool', title: 'Too many workers' },
  PIPELINE_DISABLED: { status: 409, exit: 6, mcp: 'tool', title: 'Pipeline disabled' },
  PIPELINE_BUSY: { status: 409, exit: 6, mcp: 'tool', title: 'Pipeline already running' },
  MAINTENANCE_APP_DISABLED: { status: 409, exit: 6, mcp: 'tool', title: 'Maintenance switched off for the app' },
  PROPOSAL_NOT_READY: { status: 409, exit: 6, mcp: 'tool', title: 'Proposal not ready' },
  PROPOSAL_NOT_RETRYABLE: { status: 409, exit: 6, mcp: 'tool', title: 'Proposal cannot be validated again' },
  PAYLOAD_TOO_LARGE: { status: 413, exit: 5, mcp: 'protocol', title: 'Request body too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exit: 5, mcp: 'protocol', title: 'Unsupported media type' },
  EXPECTATION_FAILED: { status: 417, exit: 1, mcp: 'protocol', title: 'Expectation failed' },
  RATE_LIMITED: { status: 429, exit: 1, mcp: 'tool', title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, exit: 1, mcp: 'protocol', title: 'Request headers too large' },
  INTERNAL: { status: 500, exit: 1, mcp: 'tool', title: 'Internal error' },
  FUNCTION_FAILED: { status: 502, exit: 1, mcp: 'tool', title: 'Function failed' },
  WORKER_LOST: { status: 502, exit: 1, mcp: 'tool', title: 'Worker lost' },
  UNAVAILABLE: { status: 503, exit: 1, mcp: 'tool', title: 'Temporarily unavailable' },
  TIMEOUT: { status: 504, exit: 7, mcp: 'tool', title: 'Timed out' },
} as const satisfies Record<string, { status: number; exit: number; mcp: 'tool' | 'protocol'; title: string }>

export type ErrorCode = keyof typeof ERRORS
/** A fault of one field of the input. `path` joins the keys with dots. */
export type Fault = { path: string; message: string }

/** Problem details (RFC 9457) with a stable `code` and, for invalid input, one entry in `errors` per fault. */
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
  /** Value of the `WWW-Authenticate` header, if it is more than `Bearer`. */
  challenge?: string
  /** Id of the refused request, if another process answered it. */
  requestId?: string
  cause?: unknown
}

/** An expected refusal. Any other error is a bug and is answered as INTERNAL. */
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

/** Turns a received problem back into the error that was sent. */
export function fromProblem(problem: Partial<Problem>, status: number, retryAfterSeconds?: number): ServiceError {
  const code = problem.code && Object.hasOwn(ERRORS, problem.code) ? problem.code : codeOfStatus(status)
  return new ServiceError(code, problem.detail ?? `${ERRORS[code].title}.`, {
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.request_id !== undefined && { requestId: problem.request_id }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** Chooses a code for an answer that has none, such as the answer of a proxy. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'INVALID_TOKEN'
  if (status === 408) return 'TIMEOUT'
  if (status === 422) return 'INVALID_REQUEST'
  if (status === 502 || status === 503) return 'UNAVAILABLE'
  const found = Object.entries(ERRORS).find(([, row]) => row.status === status)
  return (found?.[0] as ErrorCode | undefined) ?? 'INTERNAL'
}
