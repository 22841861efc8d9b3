import type { EventOf } from '#contract/core/events.ts'
import type { DestinationKind } from '#contract/notifications/channels.ts'
import type { DigestTiming } from './window.ts'

export type Timing = 'immediately' | DigestTiming
export type MatchedEvent = EventOf & { readonly id: string }

/** The part of notifications and messages that says where they go. */
export type Addressed = {
  org_id: string
  destination_key: string
  channel_id: string | null
  user_id: string | null
}

/** One event for one destination. */
export type NewNotification = Addressed & {
  event_id: string
  /** `none` for what goes nowhere and is only recorded. */
  kind: DestinationKind | 'none'
  subscription_id: string | null
  app_id: string | null
  digest: { key: string; timing: DigestTiming; windowEnd: Date } | null
  dropped_reason: string | null
  /** Notifications that fit into one message to this destination. */
  per_message: number
}

/** The part of a notification that concerns no channel, person, subscription or app. */
export const OF_NOBODY = {
  channel_id: null,
  user_id: null,
  subscription_id: null,
  app_id: null,
  digest: null,
  dropped_reason: null,
  per_message: 1,
}
