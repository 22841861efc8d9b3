import type { EventOf } from '#contract/core/events.ts'
import type { DestinationKind } from '#contract/notifications/channels.ts'
import type { DigestTiming } from './window.ts'

export type Timing = 'immediately' | DigestTiming
export type MatchedEvent = EventOf & { readonly id: string }

/** One event for one destination. */
export type NewNotification = {
  event_id: string
  org_id: string
  destination_key: string
  /** `none` for what goes nowhere and is only recorded. */
  kind: DestinationKind | 'none'
  channel_id: string | null
  user_id: string | null
  subscription_id: string | null
  app_id: string | null
  digest: { key: string; timing: DigestTiming; windowEnd: Date } | null
  dropped_reason: string | null
  /** Notifications that fit into one message to this destination. */
  per_message: number
}
