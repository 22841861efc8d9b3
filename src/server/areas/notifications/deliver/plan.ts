import type { DestinationKind } from '#contract/notifications/channels.ts'

export type DueDestination = {
  key: string
  org_id: string
  kind: DestinationKind
  /** Messages that may be sent to it at once, beyond those under way. */
  free: number
  /** Notifications that fit into one message. */
  per_message: number
}
export type WaitingDelivery = { id: string; destination_key: string }
export type ReadyNotification = {
  id: string
  destination_key: string
  channel_id: string | null
  user_id: string | null
}

export type PlannedDelivery = {
  id: string
  destination: DueDestination
  channel_id: string | null
  user_id: string | null
  /** Empty for a delivery that exists already. */
  notificationIds: string[]
}

type Work = {
  destinations: readonly DueDestination[]
  waiting: readonly WaitingDelivery[]
  ready: readonly ReadyNotification[]
  limit: number
}

/**
 * Chooses at most `limit` deliveries, in rounds of one per destination, so that no destination takes all slots while
 * another waits. Notifications of one destination travel together, as many as fit into a message.
 */
export function planDeliveries({ destinations, waiting, ready, limit }: Work, newDeliveryId: () => string) {
  const queues = destinations.map((destination) => {
    const existing = waiting.filter(({ destination_key }) => destination_key === destination.key)
    const own = ready.filter(({ destination_key }) => destination_key === destination.key)
    return [
      ...existing.map(({ id }) => ({ id, destination, channel_id: null, user_id: null, notificationIds: [] })),
      ...inGroups(own, destination.per_message).map((group) => ({
        id: newDeliveryId(),
        destination,
        channel_id: group[0]!.channel_id,
        user_id: group[0]!.user_id,
        notificationIds: group.map(({ id }) => id),
      })),
    ].slice(0, destination.free)
  })
  return inRounds<PlannedDelivery>(queues).slice(0, limit)
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

function inRounds<T>(queues: readonly (readonly T[])[]): T[] {
  const rounds = Math.max(0, ...queues.map((queue) => queue.length))
  return Array.from({ length: rounds }, (_, i) => queues.flatMap((queue) => queue.slice(i, i + 1))).flat()
}
