import { Chip } from '#console/parts/list/chip.tsx'
import type { Delivery } from '#contract/notifications/deliveries.ts'

/** The outcome of a delivery. One that nobody can know is shown as unknown, never as delivered or failed. */
export function DeliveryChip({ delivery: { status, reason, state } }: { delivery: Delivery }) {
  if (reason === 'outcome_unknown') return <Chip tone="unknown">Unknown</Chip>
  if (state === 'dropped' || (status === 'not_sent' && state !== 'failed')) return <Chip tone="plain">Not sent</Chip>
  if (status === 'delivered') return <Chip tone="success">Delivered</Chip>
  if (status === 'retrying') return <Chip tone="attention">Retrying</Chip>
  if (status === 'pending') return <Chip tone="running">Waiting</Chip>
  return <Chip tone="failure">Failed</Chip>
}
