import type { DestinationKind } from '#contract/notifications/channels.ts'
import type { MailContent } from '../model/mail-content.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { DueNotification } from './due-notification.ts'

/** Longest time one attempt may take, from the first byte to the end of the answer. */
export const SEND_TIMEOUT_MS = 15_000

export type Message = {
  readonly delivery: ClaimedDelivery
  /** Never empty, except in a message that belongs to no event. */
  readonly notifications: readonly DueNotification[]
  /** True for a message that collects the notifications of an hour or a day. */
  readonly isDigest: boolean
  /** Set in a mail that belongs to no event. */
  readonly systemMail?: MailContent
}

export type Sent = {
  readonly outcome: Outcome
  /** Of the receiver's answer, where there was one. */
  readonly status?: number | undefined
}

/** The destination is gone or switched off, so nothing was attempted. */
export const DESTINATION_GONE: Sent = { outcome: { type: 'dropped', reason: 'destination_gone' } }

/**
 * Sends one message through one kind of channel. It makes one attempt, never repeats a request by itself, and says what
 * the attempt came to; it throws only for bugs, which are recorded as `unknown`.
 */
export type Send = (message: Message, signal: AbortSignal) => Promise<Sent>

export type Senders = Readonly<Record<DestinationKind, Send>>
