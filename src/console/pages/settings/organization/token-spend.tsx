import { useCall } from '#console/call/use-call.ts'
import { dayLabel } from '#console/charts/day-label.ts'
import { StackedBars } from '#console/charts/stacked-bars.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { readAgentPool } from '#contract/ai.ts'
import { SpentByApp } from './spent-by-app.tsx'

/** Tokens that checks and the maintenance agent used on each of the last 30 days, against what they may use. */
export function TokenSpend() {
  const pool = useCall(readAgentPool, { days: 30 })
  return (
    <Loaded of={pool}>
      {({ limit, timezone, days, apps }) => {
        if (days.every(({ checks, maintenance }) => checks + maintenance === 0)) return <NothingSpent limit={limit} />
        const closed = days.filter(({ is_closed }) => is_closed).map(({ day }) => dayLabel(day))
        return (
          <section aria-label="Tokens" className="charts">
            <StackedBars
              title="How many tokens did agents use each night?"
              axis={`Tokens of each day in ${timezone}, with what running calls reserved, against the pool of a day`}
              labels={days.map(({ day }) => dayLabel(day))}
              series={[
                { label: 'Checks', values: days.map(({ checks }) => checks) },
                { label: 'Maintenance', values: days.map(({ maintenance }) => maintenance) },
              ]}
              unit="tokens"
              limit={{ label: 'Pool', value: limit }}
            />
            <SpentByApp apps={apps} />
            {closed.length > 0 && (
              <p className="soft">
                A provider served more tokens than were reserved, so nothing more was spent on {closed.join(', ')}.
              </p>
            )}
          </section>
        )
      }}
    </Loaded>
  )
}

function NothingSpent({ limit }: { limit: number }) {
  return (
    <section className="card" aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      <p className="soft">
        Agents used no tokens in the last 30 days. Checks and the maintenance agent share {limit.toLocaleString('en')} a
        day.
      </p>
    </section>
  )
}
