import { useNames } from '#console/call/use-names.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Opener } from '#console/parts/form/opener.tsx'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { tookText } from '#console/parts/text/duration.ts'
import { Time } from '#console/parts/text/time.tsx'
import { listPipelineRuns, type PipelineRun } from '#contract/pipelines.ts'
import { isRunUnderWay, RUN_STATES } from './describe-pipeline.ts'
import { RunLog } from './run-log.tsx'

export function PipelineRuns({ alias, name }: { alias: string; name: string }) {
  const runs = usePages(listPipelineRuns, { alias, name }, { whileAny: isRunUnderWay })
  const nameOf = useNames(runs.data?.map(({ requested_by }) => requested_by) ?? [])
  const columns: readonly Column<PipelineRun>[] = [
    { head: 'Result', cell: ({ state }) => <StatusChip of={RUN_STATES[state]} /> },
    { head: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
    { head: 'Reason', cell: ({ reason }) => <span className="cut">{reason}</span>, isWide: true },
    { head: 'Took', cell: ({ started_at, ended_at }) => tookText(started_at, ended_at), isNumber: true, isWide: true },
    {
      head: 'Started by',
      cell: ({ requested_by }) => (requested_by === null ? 'schedule' : nameOf(requested_by)),
      isWide: true,
    },
    {
      head: 'Log',
      cell: (run) =>
        run.started_at !== null && (
          <Opener
            label="Show log"
            of={`of ${run.id}`}
            look="small"
            dialog={<RunLog alias={alias} name={name} runId={run.id} />}
          />
        ),
    },
  ]
  return (
    <section>
      <h2>Runs</h2>
      <List
        isStacked
        of={runs}
        caption={`Runs of ${name}`}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p className="soft">No runs yet.</p>}
      />
    </section>
  )
}
