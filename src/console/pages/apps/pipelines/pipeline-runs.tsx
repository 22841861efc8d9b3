import { useState } from 'react'
import { useNames } from '#console/call/use-names.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/chip.tsx'
import { durationText } from '#console/parts/duration.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { listPipelineRuns, type PipelineRun } from '#contract/pipelines.ts'
import { isRunUnderWay, showRunState } from './pipeline-words.ts'
import { RunLog } from './run-log.tsx'

export function PipelineRuns({ alias, name }: { alias: string; name: string }) {
  const runs = usePages(listPipelineRuns, { alias, name }, { whileAny: isRunUnderWay })
  const nameOf = useNames(runs.data?.map(({ requested_by }) => requested_by) ?? [])
  const [shown, setShown] = useState<PipelineRun>()
  const columns: readonly Column<PipelineRun>[] = [
    { head: 'Result', cell: ({ state }) => <Chip tone={showRunState(state).tone}>{showRunState(state).word}</Chip> },
    { head: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
    { head: 'Reason', cell: ({ reason }) => <span className="cut">{reason}</span>, isWide: true },
    { head: 'Took', cell: (run) => <Took run={run} />, isNumber: true, isWide: true },
    {
      head: 'Started by',
      cell: ({ requested_by }) => (requested_by === null ? 'schedule' : nameOf(requested_by)),
      isWide: true,
    },
    {
      head: 'Log',
      cell: (run) =>
        run.started_at !== null && (
          <button type="button" className="button small" onClick={() => setShown(run)}>
            Show log<span className="visually-hidden"> of {run.id}</span>
          </button>
        ),
    },
  ]
  return (
    <section>
      <h2>Runs</h2>
      <Loaded of={runs}>
        {(items) =>
          items.length === 0 ? (
            <p className="soft">No runs yet.</p>
          ) : (
            <>
              <Table caption={`Runs of ${name}`} columns={columns} rows={items} keyOf={({ id }) => id} />
              <More of={runs} />
            </>
          )
        }
      </Loaded>
      {shown && <RunLog alias={alias} name={name} runId={shown.id} onClose={() => setShown(undefined)} />}
    </section>
  )
}

function Took({ run: { started_at, ended_at } }: { run: PipelineRun }) {
  if (started_at === null || ended_at === null) return null
  return durationText((Date.parse(ended_at) - Date.parse(started_at)) / 1000)
}
