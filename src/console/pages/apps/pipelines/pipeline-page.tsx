import { useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Schedule } from '#console/parts/schedule.tsx'
import { Time } from '#console/parts/time.tsx'
import { listPipelines, type Pipeline } from '#contract/pipelines.ts'
import { AppDetail } from '../app-detail.tsx'
import { useAlias } from '../use-alias.ts'
import { useApp } from '../use-app.ts'
import { PipelineActs } from './pipeline-acts.tsx'
import { PipelineRuns } from './pipeline-runs.tsx'
import { showPipelineState } from './pipeline-words.ts'

/** One pipeline with its runs. Notifications link to it by its id, while operations take its name. */
export function PipelinePage() {
  const alias = useAlias()
  const { pipelineId = '' } = useParams({ strict: false })
  const { canBuild } = useApp(alias)
  const pipelines = useCall(listPipelines, { alias, limit: 100 }, { everyMs: 5_000 })
  const pipeline = pipelines.data?.items.find(({ id, name }) => id === pipelineId || name === pipelineId)
  return (
    <AppDetail
      title={pipeline?.name ?? 'Pipeline'}
      section={{ label: 'Pipelines', link: { to: '/apps/$alias/pipelines', params: { alias } } }}
      acts={canBuild && pipeline && <PipelineActs alias={alias} pipeline={pipeline} />}
    >
      <Loaded of={pipelines}>
        {() =>
          pipeline ? (
            <div className="stack">
              <Facts pipeline={pipeline} />
              <PipelineRuns alias={alias} name={pipeline.name} />
            </div>
          ) : (
            <Empty title="No such pipeline">
              <p>It was deleted, or the address has a mistake.</p>
            </Empty>
          )
        }
      </Loaded>
    </AppDetail>
  )
}

function Facts({ pipeline }: { pipeline: Pipeline }) {
  const { word, tone } = showPipelineState(pipeline)
  return (
    <>
      {pipeline.description !== '' && <p>{pipeline.description}</p>}
      <dl>
        <dt>State</dt>
        <dd className="row">
          <Chip tone={tone}>{word}</Chip>
          {pipeline.state_since !== null && (
            <span>
              since <Time at={pipeline.state_since} />
            </span>
          )}
        </dd>
        <dt>Schedule</dt>
        <dd>
          {pipeline.schedule === null ? (
            'by hand only'
          ) : (
            <Schedule cron={pipeline.schedule} timezone={pipeline.timezone} />
          )}
        </dd>
        {pipeline.next_run_at !== null && (
          <>
            <dt>Next run</dt>
            <dd>
              <Time at={pipeline.next_run_at} />
            </dd>
          </>
        )}
        <dt>Worker</dt>
        <dd>{pipeline.is_served ? 'connected' : 'not connected: runs cannot start until a worker connects'}</dd>
        <dt>While one runs</dt>
        <dd>{pipeline.concurrency === 'skip' ? 'another one is skipped' : 'another one waits for its turn'}</dd>
      </dl>
    </>
  )
}
