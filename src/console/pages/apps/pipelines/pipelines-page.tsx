import { Link } from '@tanstack/react-router'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { Schedule } from '#console/parts/schedule.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { listPipelines, type Pipeline } from '#contract/pipelines.ts'
import { AppPage } from '../app-page.tsx'
import { useAlias } from '../use-alias.ts'
import { isRunUnderWay, showPipelineState } from './pipeline-words.ts'

/** The pipelines that workers of the app declared. */
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
    { head: 'State', cell: (pipeline) => <State pipeline={pipeline} /> },
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
      <Loaded of={pipelines}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No pipelines yet">
              <p>
                A pipeline is work that runs on a schedule or by hand in a worker of the app. It appears here when a
                worker that declares it connects. <a href="/docs">The documentation shows how to write one.</a>
              </p>
            </Empty>
          ) : (
            <>
              <Table caption={`Pipelines of ${alias}`} columns={columns} rows={items} keyOf={({ id }) => id} />
              <More of={pipelines} />
            </>
          )
        }
      </Loaded>
    </AppPage>
  )
}

function State({ pipeline }: { pipeline: Pipeline }) {
  const { word, tone } = showPipelineState(pipeline)
  return <Chip tone={tone}>{word}</Chip>
}
