import { useSearch } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { beginOf, rangeOf } from '#console/charts/series/range.ts'
import { RangeSection } from '#console/charts/series/range-section.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { type Pipeline, readPipelineSeries } from '#contract/pipelines.ts'
import { RunCharts } from '../runs/run-charts.tsx'
import { pipelineParts, succeededText } from './describe-pipeline-series.ts'

/** Shows what became of the runs and how long they took. It is read anew when the last run has changed. */
export function PipelineSeries({ alias, pipeline: { name, last_run } }: { alias: string; pipeline: Pipeline }) {
  const search = useSearch({ from: '/apps/$alias/pipelines/$pipelineId' })
  const range = rangeOf(search)
  const input = { alias, name, ...beginOf(search, Date.now()) }
  const asOf = last_run && `${last_run.id} ${last_run.state}`
  const series = useCall(readPipelineSeries, input, { keep: true, asOf })
  return (
    <RangeSection title="How does it go?" range={range}>
      <Loaded of={series} rows={4}>
        {(data) => (
          <RunCharts
            series={data}
            words={range.words}
            title="How many runs succeed?"
            axis="Runs that were due or started by hand in"
            totalOf={succeededText}
            partsOf={pipelineParts}
          />
        )}
      </Loaded>
    </RangeSection>
  )
}
