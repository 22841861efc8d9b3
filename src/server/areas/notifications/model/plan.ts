import type { DestinationKind } from '#contract/notifications/channels.ts'
import type { Addressed } from './notification.ts'

export type DueDestination = {
  key: string
  org_id: string
  kind: DestinationKind
  /** Messages that may be sent to it at once, beyond those under way. */
  free: number
  /** Notifications that fit into one message. */
  per_message: number
}
type WaitingDelivery = { id: string; destination_key: string }
export type ReadyNotification = WaitingDelivery & Pick<Addressed, 'channel_id' | 'user_id'>

export type PlannedDelivery = Pick<Addressed, 'channel_id' | 'user_id'> & {
  id: string
  destination: DueDestination
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
  const [waitingByKey, readyByKey] = [Map.groupBy(waiting, keyOf), Map.groupBy(ready, keyOf)]
  const queues = destinations.map((destination) => {
    const existing = waitingByKey.get(destination.key) ?? []
    const own = readyByKey.get(destination.key) ?? []
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

function keyOf({ destination_key }: WaitingDelivery): string {
  return destination_key
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

function inRounds<T>(queues: readonly (readonly T[])[]): T[] {
  const rounds = Math.max(0, ...queues.map((queue) => queue.length))
  return Array.from({ length: rounds }, (_, i) => queues.flatMap((queue) => queue.slice(i, i + 1))).flat()
}

type Read = Omit<Work, 'limit'> & { planned: readonly PlannedDelivery[] }

/** Whether more waits for a destination than was planned. */
export type PlannedOf = { key: string; hasMore: boolean }

/**
 * Returns for each destination whether more waits there. It does when not all that was read is planned, and when as much
 * was read as may be at once.
 */
export function whereMoreWaits({ destinations, waiting, ready, planned }: Read): PlannedOf[] {
  const plannedByKey = Map.groupBy(planned, ({ destination }) => destination.key)
  const [waitingByKey, readyByKey] = [Map.groupBy(waiting, keyOf), Map.groupBy(ready, keyOf)]
  return destinations.map(({ key, free, per_message }) => {
    const own = plannedByKey.get(key) ?? []
    const existing = waitingByKey.get(key)?.length ?? 0
    const loose = readyByKey.get(key)?.length ?? 0
    const left = existing + loose - own.reduce((sum, { notificationIds }) => sum + (notificationIds.length || 1), 0)
    return { key, hasMore: left > 0 || existing === free || loose === free * per_message }
  })
}
