import type { DestinationKind } from '#contract/notifications/channels.ts'
import type { DeliveryState, Outcome } from '../model/outcome.ts'
import { retryDelaySeconds } from '../model/schedule.ts'

export type Transition = {
  readonly state: Exclude<DeliveryState, 'sending'>
  readonly reason: string | null
  /** Seconds until the next attempt; only with `pending`. */
  readonly delaySeconds?: number
  /** Effect of the outcome on the circuit breaker of the destination. */
  readonly destination: 'answers' | 'fails' | 'gone' | 'unaffected'
  /** For how many seconds the receiver asked to get nothing. */
  readonly pauseSeconds: number
}

type Attempted = {
  readonly kind: DestinationKind
  /** Number of this attempt, from 1. */
  readonly attempt: number
  /** From 0 up to 1. */
  readonly random: number
}

/**
 * Decides the next state of a delivery after an attempt ended. It goes back to `pending` only after an outcome that
 * proves non-delivery, and only while its schedule has attempts left.
 */
export function nextState(outcome: Outcome, attempted: Attempted): Transition {
  switch (outcome.type) {
    case 'sent':
      return { state: 'sent', reason: null, destination: 'answers', pauseSeconds: 0 }
    case 'retry':
      return afterRetryable(outcome, attempted)
    case 'failed':
      return {
        state: 'failed',
        reason: outcome.reason,
        destination: outcome.isOurFault ? 'unaffected' : 'answers',
        pauseSeconds: 0,
      }
    case 'gone':
      return { state: 'failed', reason: outcome.reason, destination: 'gone', pauseSeconds: 0 }
    case 'unknown':
      return { state: 'unknown', reason: outcome.reason, destination: 'fails', pauseSeconds: 0 }
    case 'dropped':
      return { state: 'dropped', reason: outcome.reason, destination: 'unaffected', pauseSeconds: 0 }
    default:
      throw new Error(`no such outcome: ${JSON.stringify(outcome satisfies never)}`)
  }
}

function afterRetryable(
  { reason, retryAfterSeconds = 0, isOurFault }: Extract<Outcome, { type: 'retry' }>,
  { kind, attempt, random }: Attempted,
): Transition {
  const delay = retryDelaySeconds(kind, attempt, random)
  const pause = isOurFault
    ? ({ destination: 'unaffected', pauseSeconds: 0 } as const)
    : ({ destination: 'fails', pauseSeconds: retryAfterSeconds } as const)
  if (delay === undefined) return { state: 'failed', reason, ...pause }
  return { state: 'pending', reason, delaySeconds: Math.max(delay, retryAfterSeconds), ...pause }
}
