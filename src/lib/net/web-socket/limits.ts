/** From the request to the answer of the app. */
export const HANDSHAKE_MS = 10_000

export type TunnelLimits = {
  /** Without a byte of either side. */
  readonly idleMs: number
  /** From the handshake to the end. */
  readonly lifeMs: number
  /** For a side to take what waits for it, which is at most what one read gave. */
  readonly stalledMs: number
  /** From the end of one side to the end of both. */
  readonly halfClosedMs: number
  /** From the moment at which svc closes it to the end of both sides. */
  readonly closeMs: number
}

export const TUNNEL_LIMITS: TunnelLimits = {
  idleMs: 10 * 60_000,
  lifeMs: 24 * 60 * 60_000,
  stalledMs: 60_000,
  halfClosedMs: 10_000,
  closeMs: 1_000,
}
