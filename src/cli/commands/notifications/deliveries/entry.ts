import type { Delivery } from '#contract/notifications/deliveries.ts'

/** The status in words, with the reason where there is one. */
export function statusOf({ status, reason }: Pick<Delivery, 'status' | 'reason'>): string {
  const words = status.replace('_', ' ')
  return reason === null ? words : `${words}: ${reason}`
}

export function destinationOf({ destination }: Pick<Delivery, 'destination'>): string {
  if (destination === null) return 'nobody'
  return `${destination.kind} ${destination.label ?? destination.user_id ?? ''}`.trimEnd()
}
