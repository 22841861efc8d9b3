import type { EventOf } from '#contract/core/events.ts'

/** A notification of a delivery, with all that any channel may show of its event. */
export type DueNotification = {
  readonly id: string
  readonly subscription_id: string | null
  readonly user_id: string | null
  readonly event: EventOf & { id: string }
}
