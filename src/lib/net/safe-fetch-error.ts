export type SafeFetchReason =
  | 'refused_address'
  | 'refused_url'
  | 'dns'
  | 'connect'
  | 'timeout'
  | 'redirect'
  | 'too_large'
  | 'aborted'
  | 'io'

interface SafeFetchErrorDetails {
  sent?: boolean
  status?: number
  cause?: unknown
}

/**
 * Error of safe fetch. The message names at most the origin, because paths and queries of users' addresses can be
 * secret.
 */
export class SafeFetchError extends Error {
  override readonly name = 'SafeFetchError'
  readonly reason: SafeFetchReason
  /**
   * Whether the peer may have acted on the request: false until a connection is made, true from then on, and on a kept
   * connection always true. Only the last hop counts, and a redirect that is not followed counts as not sent.
   */
  readonly sent: boolean
  /** The status of the response, if it arrived before the failure. */
  readonly status: number | undefined

  constructor(reason: SafeFetchReason, message: string, { sent = false, status, cause }: SafeFetchErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
    this.sent = sent
    this.status = status
  }
}
