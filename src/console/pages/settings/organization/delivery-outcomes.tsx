import { useCall } from '#console/call/use-call.ts'
import { numberText } from '#console/charts/number-text.ts'
import { PartBars } from '#console/charts/part-bars.tsx'
import { LoadFailed } from '#console/parts/page/load-failed.tsx'
import { deliveryStatistics } from '#contract/notifications/deliveries.ts'
import { DeliveriesByDay } from './deliveries-by-day.tsx'
import { destinationName } from './destination-name.ts'

const PARTS = [
  { label: 'delivered', tone: 'success' },
  { label: 'waiting', tone: 'running' },
  { label: 'unknown', tone: 'unknown' },
  { label: 'not sent', tone: 'failure' },
] as const

/** Shows by channel how many notifications were delivered. Shows nothing if there were none: the list below says so. */
export function DeliveryOutcomes() {
  const statistics = useCall(deliveryStatistics, { days: 30 })
  if (statistics.data === undefined)
    return statistics.error ? <LoadFailed error={statistics.error} onRetry={() => void statistics.refetch()} /> : null
  const { channels, days } = statistics.data
  const toNobody = channels.find(({ kind }) => kind === 'none')?.not_sent ?? 0
  const used = channels.filter(({ kind }) => kind !== 'none')
  if (used.length === 0) return null
  return (
    <section aria-label="Outcomes" className="charts">
      <PartBars
        title="What became of the notifications of the last 30 days?"
        axis="Each event and destination counts once, by channel. Unknown: nobody can tell whether it arrived."
        rowHead="Channel"
        parts={PARTS}
        rows={used.map((channel) => ({
          id: channel.channel_id ?? channel.kind,
          label: destinationName(channel),
          values: [channel.delivered, channel.waiting, channel.unknown, channel.not_sent],
        }))}
      />
      <DeliveriesByDay days={days} />
      {toNobody > 0 && (
        <p className="soft">
          {toNobody === 1 ? 'One more event' : `${numberText(toNobody)} more events`} went to nobody: no subscription
          matched.
        </p>
      )}
    </section>
  )
}
