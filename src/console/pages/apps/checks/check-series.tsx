import { useSearch } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { beginOf, rangeOf } from '#console/charts/series/range.ts'
import { RangeSection } from '#console/charts/series/range-section.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import type { Check } from '#contract/checks/checks.ts'
import { readCheckSeries } from '#contract/checks/series.ts'
import { RunCharts } from '../runs/run-charts.tsx'
import { checkParts, passedText, stateNotes } from './describe-check-series.ts'

/** Shows how often the check passed and how long its runs took. It is read anew when a run has ended. */
export function CheckSeries({ alias, check: { id, last_run_at } }: { alias: string; check: Check }) {
  const search = useSearch({ from: '/apps/$alias/checks/$checkId' })
  const range = rangeOf(search)
  const input = { alias, check: id, ...beginOf(search, Date.now()) }
  const series = useCall(readCheckSeries, input, { keep: true, asOf: last_run_at })
  return (
    <RangeSection title="How does it go?" range={range}>
      <Loaded of={series} rows={4}>
        {(data) => (
          <RunCharts
            series={data}
            words={range.words}
            title="How many runs pass?"
            axis="Runs that ended in"
            totalOf={passedText}
            partsOf={checkParts}
            notesOf={stateNotes}
          />
        )}
      </Loaded>
    </RangeSection>
  )
}
