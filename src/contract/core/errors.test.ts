import { describe, expect, it } from 'vitest'
import { ERRORS, type ErrorCode, fromProblem, type Problem, ServiceError } from './errors.ts'

/** Promises to callers, written out: a change of one is a change of the product. */
const TABLE: [code: ErrorCode, status: number, exit: number, mcp: 'tool' | 'protocol'][] = [
  ['INVALID_REQUEST', 400, 5, 'tool'],
  ['INVALID_SEARCH_CONFIGURATION', 400, 5, 'tool'],
  ['INVALID_REVISION', 400, 5, 'tool'],
  ['MALFORMED_REQUEST', 400, 5, 'protocol'],
  ['INVALID_TOKEN', 401, 3, 'protocol'],
  ['FORBIDDEN', 403, 3, 'tool'],
  ['CSRF', 403, 3, 'protocol'],
  ['READ_ONLY_SESSION', 403, 3, 'tool'],
  ['PROPOSAL_OWN', 403, 3, 'tool'],
  ['NOT_FOUND', 404, 4, 'tool'],
  ['MAINTENANCE_AGENT_NOT_FOUND', 404, 4, 'tool'],
  ['METHOD_NOT_ALLOWED', 405, 1, 'protocol'],
  ['REQUEST_TIMEOUT', 408, 7, 'protocol'],
  ['BODY_TOO_SLOW', 408, 7, 'protocol'],
  ['CONFLICT', 409, 6, 'tool'],
  ['IDEMPOTENCY_KEY_REUSED', 409, 6, 'tool'],
  ['IDEMPOTENCY_IN_PROGRESS', 409, 6, 'tool'],
  ['OUTCOME_UNKNOWN', 409, 6, 'tool'],
  ['SESSION_CHANGED', 409, 6, 'protocol'],
  ['LAST_OWNER', 409, 6, 'tool'],
  ['INVITATION_INVALID', 409, 6, 'tool'],
  ['EXPOSED_LIMIT', 409, 6, 'tool'],
  ['NO_SEARCH_CONFIGURED', 409, 6, 'tool'],
  ['SOURCE_CHANGED', 409, 6, 'tool'],
  ['SOURCE_OFF', 409, 6, 'tool'],
  ['ORG_LIMIT', 409, 6, 'tool'],
  ['DATABASE_LIMIT', 409, 6, 'tool'],
  ['DATABASE_EXPOSED', 409, 6, 'tool'],
  ['SUBSCRIPTION_EXISTS', 409, 6, 'tool'],
  ['SUBSCRIPTION_LIMIT', 409, 6, 'tool'],
  ['CHANNEL_EXISTS', 409, 6, 'tool'],
  ['CHANNEL_NOT_ACTIVE', 409, 6, 'tool'],
  ['CHANNEL_LIMIT', 409, 6, 'tool'],
  ['CHAT_NOT_CONNECTED', 409, 6, 'tool'],
  ['CHAT_OTHER_WORKSPACE', 409, 6, 'tool'],
  ['CHAT_ACCOUNT_TAKEN', 409, 6, 'tool'],
  ['FORUM_NOT_CONNECTED', 409, 6, 'tool'],
  ['FORUM_PROBE_FAILED', 409, 6, 'tool'],
  ['UNSUBSCRIBED', 409, 6, 'tool'],
  ['NOT_RESENDABLE', 409, 6, 'tool'],
  ['APP_LIMIT', 409, 6, 'tool'],
  ['APP_NOT_STARTABLE', 409, 6, 'tool'],
  ['DEPLOYS_OFF', 409, 6, 'tool'],
  ['NOTHING_TO_ROLL_BACK', 409, 6, 'tool'],
  ['REVISION_INCOMPLETE', 409, 6, 'tool'],
  ['REVISION_STORE_FULL', 409, 6, 'tool'],
  ['NO_WORKER', 409, 6, 'tool'],
  ['WORKER_LIMIT', 409, 6, 'tool'],
  ['PIPELINE_DISABLED', 409, 6, 'tool'],
  ['PIPELINE_BUSY', 409, 6, 'tool'],
  ['MAINTENANCE_APP_DISABLED', 409, 6, 'tool'],
  ['PROPOSAL_NOT_READY', 409, 6, 'tool'],
  ['PROPOSAL_NOT_RETRYABLE', 409, 6, 'tool'],
  ['PAYLOAD_TOO_LARGE', 413, 5, 'protocol'],
  ['UNSUPPORTED_MEDIA_TYPE', 415, 5, 'protocol'],
  ['EXPECTATION_FAILED', 417, 1, 'protocol'],
  ['RATE_LIMITED', 429, 1, 'tool'],
  ['HEADERS_TOO_LARGE', 431, 1, 'protocol'],
  ['INTERNAL', 500, 1, 'tool'],
  ['FUNCTION_FAILED', 502, 1, 'tool'],
  ['WORKER_LOST', 502, 1, 'tool'],
  ['UNAVAILABLE', 503, 1, 'tool'],
  ['TIMEOUT', 504, 7, 'tool'],
]

const EXIT_OF_STATUS: Record<number, number> = {
  400: 5,
  401: 3,
  403: 3,
  404: 4,
  409: 6,
  413: 5,
  415: 5,
  422: 5,
  408: 7,
  504: 7,
}

describe('the table of errors', () => {
  it('is this one', () => {
    const rows = Object.entries(ERRORS).map(([code, { status, exit, mcp }]) => [code, status, exit, mcp])
    expect(rows).toEqual(TABLE)
  })

  it.each(Object.entries(ERRORS))('%s exits as its status says', (_, { status, exit }) => {
    expect(exit).toBe(EXIT_OF_STATUS[status] ?? 1)
  })

  it.each(Object.entries(ERRORS))('%s is upper snake case and has a title', (code, { title }) => {
    expect(code).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/)
    expect(title).not.toBe('')
  })
})

describe('a problem', () => {
  it('says what it is, and only what there is', () => {
    expect(new ServiceError('NOT_FOUND', 'no such source').toProblem()).toEqual({
      type: 'urn:svc:problem:not-found',
      title: 'Not found',
      status: 404,
      detail: 'no such source',
      code: 'NOT_FOUND',
    })
  })

  it('carries the request id and each fault', () => {
    const errors = [{ path: 'a.b', message: 'unknown key' }]
    const problem = new ServiceError('INVALID_REQUEST', 'a.b: unknown key', { errors }).toProblem('req_1')
    expect(problem).toMatchObject({ request_id: 'req_1', errors })
  })

  it('never tells its cause', () => {
    const error = new ServiceError('INTERNAL', 'an unexpected fault', { cause: new Error('hunter2') })
    expect(error.cause).toEqual(new Error('hunter2'))
    expect(JSON.stringify(error.toProblem())).not.toContain('hunter2')
  })

  it.each(TABLE)('%s comes back from the wire as it was', (code) => {
    const sent = new ServiceError(code, 'why', { errors: [{ path: 'a', message: 'b' }] })
    const back = fromProblem(JSON.parse(JSON.stringify(sent.toProblem())), sent.status, 7)
    expect(back).toMatchObject({ code, message: 'why', errors: sent.errors, retryAfterSeconds: 7 })
  })
})

describe('an answer without a code of ours', () => {
  it.each([
    [400, 'INVALID_REQUEST'],
    [401, 'INVALID_TOKEN'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [408, 'TIMEOUT'],
    [409, 'CONFLICT'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [418, 'INTERNAL'],
    [422, 'INVALID_REQUEST'],
    [429, 'RATE_LIMITED'],
    [500, 'INTERNAL'],
    [502, 'UNAVAILABLE'],
    [503, 'UNAVAILABLE'],
    [504, 'TIMEOUT'],
  ])('%d is %s, with its title as the words', (status, code) => {
    const error = fromProblem({}, status)
    expect(error.code).toBe(code)
    expect(error.message).toBe(`${ERRORS[error.code].title}.`)
  })

  it.each(['SOMETHING_NEW', 'toString', '__proto__', 'constructor'])('the code %s is not ours', (code) => {
    const error = fromProblem({ code, detail: 'words' } as unknown as Partial<Problem>, 403)
    expect(error.code).toBe('FORBIDDEN')
    expect(error.message).toBe('words')
  })
})
