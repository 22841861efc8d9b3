import type { z } from 'zod'
import { dayLabel } from '#console/charts/day-label.ts'
import { StackedBars } from '#console/charts/stacked-bars.tsx'
import type { deliveryStatistics } from '#contract/notifications/deliveries.ts'
import { deliveryParts } from './delivery-parts.ts'

type Props = { days: z.output<typeof deliveryStatistics.output>['days'] }

/** Notifications of each day by what became of them. Days and entries are those of the ledger. */
export function DeliveriesByDay({ days }: Props) {
  return (
    <StackedBars
      title="How many were sent, retried and failed each day?"
      axis="Notifications by the day of their event. Retried: delivered after more than one attempt."
      labels={days.map(({ day }) => dayLabel(day))}
      series={deliveryParts(days)}
      unit="notifications"
    />
  )
}
