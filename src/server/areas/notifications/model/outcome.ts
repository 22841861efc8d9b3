/**
 * Result of one attempt to send. Only an outcome that proves non-delivery may lead to another attempt: `unknown`
 * ends the delivery, because the receiver may have acted on it.
 */
export type Outcome =
  | { readonly type: 'sent' }
  /** Provably not delivered; a later attempt may succeed. `retryAfterSeconds` is the receiver's own wish. */
  | {
      readonly type: 'retry'
      readonly reason: string
      readonly retryAfterSeconds?: number
      /** The cause is ours or lies in this message, so it says nothing about the destination. */
      readonly isOurFault?: true
    }
  /** Provably not delivered, and no later attempt can succeed. `isOurFault` as above. */
  | { readonly type: 'failed'; readonly reason: string; readonly isOurFault?: true }
  /** Provably not delivered, and the destination does not exist any more. */
  | { readonly type: 'gone'; readonly reason: string }
  /** Nobody can know whether it was delivered. */
  | { readonly type: 'unknown'; readonly reason: string }
  /** Not attempted: a check before sending said no. */
  | { readonly type: 'dropped'; readonly reason: string }

export type DeliveryState = 'pending' | 'sending' | 'sent' | 'failed' | 'unknown' | 'dropped'

/** Reasons of `gone` that end more than one delivery. */
export const INSTALLATION_BROKEN = 'chat_installation_broken'
export const ACCOUNT_INACTIVE = 'chat_account_inactive'
