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

/** Addresses that users type are secrets: the message may name an origin, never a path or a query. */
export class SafeFetchError extends Error {
  override readonly name = 'SafeFetchError'
  readonly reason: SafeFetchReason
  /**
   * Whether the request may have been acted on: false until a connection stands, true from then on. Only the last
   * hop counts, and a redirect nobody follows counts as not sent: that answer says "not here".
   */
  readonly sent: boolean
  /** The status that had arrived before the failure. */
  readonly status: number | undefined

  constructor(reason: SafeFetchReason, message: string, { sent = false, status, cause }: SafeFetchErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
    this.sent = sent
    this.status = status
  }
}
