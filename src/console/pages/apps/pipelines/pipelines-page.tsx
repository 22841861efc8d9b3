import { Link } from '@tanstack/react-router'
import { usePages } from '#console/call/use-pages.ts'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Schedule } from '#console/parts/text/schedule.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { listPipelines, type Pipeline } from '#contract/pipelines.ts'
import { AppPage } from '../app-page.tsx'
import { useAlias } from '../use-alias.ts'
import { isRunUnderWay, showPipelineState } from './describe-pipeline.ts'

export function PipelinesPage() {
  const alias = useAlias()
  const pipelines = usePages(
    listPipelines,
    { alias },
    { whileAny: ({ last_run }) => last_run !== null && isRunUnderWay(last_run) },
  )
  const columns: readonly Column<Pipeline>[] = [
    {
      head: 'Pipeline',
      cell: ({ id, name }) => (
        <Link to="/apps/$alias/pipelines/$pipelineId" params={{ alias, pipelineId: id }}>
          {name}
        </Link>
      ),
    },
    { head: 'State', cell: (pipeline) => <StatusChip of={showPipelineState(pipeline)} /> },
    { head: 'Last run', cell: ({ last_run }) => last_run && <Time at={last_run.created_at} /> },
    { head: 'Next run', cell: ({ next_run_at }) => next_run_at && <Time at={next_run_at} />, isWide: true },
    {
      head: 'Schedule',
      cell: ({ schedule, timezone }) =>
        schedule === null ? 'by hand' : <Schedule cron={schedule} timezone={timezone} />,
      isWide: true,
    },
    {
      head: 'Worker',
      cell: ({ is_served }) => (is_served ? 'connected' : <span className="soft">not connected</span>),
      isWide: true,
    },
  ]
  return (
    <AppPage section="Pipelines">
      <List
        isStacked
        of={pipelines}
        caption={`Pipelines of ${alias}`}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No pipelines yet">
            <p>
              A pipeline is work that runs on a schedule or by hand in a worker of the app. It appears here when a
              worker that declares it connects. <a href="/guides/pipelines">The guide shows how to write one.</a>
            </p>
          </Empty>
        }
      />
    </AppPage>
  )
}
