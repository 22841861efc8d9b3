import type { z } from 'zod'
import type { deliveryStatistics } from '#contract/notifications/deliveries.ts'

type Day = z.output<typeof deliveryStatistics.output>['days'][number]

/** The outcomes from the bottom of each bar, without those that no notification had. An event for nobody is no failure. */
export function deliveryParts(days: readonly Day[]) {
  const parts = [
    { label: 'Not sent', tone: 'error', values: days.map(({ not_sent, to_nobody }) => not_sent - to_nobody) },
    { label: 'Unknown', tone: 'unknown', values: days.map(({ unknown }) => unknown) },
    { label: 'Retried', tone: 'warn', values: days.map(({ retried }) => retried) },
    { label: 'Sent at once', tone: 'info', values: days.map(({ delivered, retried }) => delivered - retried) },
    { label: 'Waiting', values: days.map(({ waiting }) => waiting) },
  ] as const
  return parts.filter(({ label, values }) => label === 'Sent at once' || values.some((count) => count > 0))
}
