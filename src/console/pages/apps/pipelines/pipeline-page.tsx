import { useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Schedule } from '#console/parts/text/schedule.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { listPipelines, type Pipeline } from '#contract/pipelines.ts'
import { AppDetail } from '../app-detail.tsx'
import { useApp } from '../use-app.ts'
import { showPipelineState } from './describe-pipeline.ts'
import { PipelineActs } from './pipeline-acts.tsx'
import { PipelineRuns } from './pipeline-runs.tsx'
import { PipelineSeries } from './pipeline-series.tsx'

/** One pipeline with its runs. Notifications link to it by its id, while operations take its name. */
export function PipelinePage() {
  const { alias, canBuild } = useApp()
  const { pipelineId = '' } = useParams({ strict: false })
  const pipelines = useCall(listPipelines, { alias, limit: 100 }, { poll: 'watched' })
  const pipeline = pipelines.data?.items.find(({ id, name }) => id === pipelineId || name === pipelineId)
  return (
    <AppDetail
      title={pipeline?.name ?? 'Pipeline'}
      section="Pipelines"
      acts={canBuild && pipeline && <PipelineActs alias={alias} pipeline={pipeline} />}
    >
      <Loaded of={pipelines}>
        {() =>
          pipeline ? (
            <div className="stack">
              <PipelineFacts pipeline={pipeline} />
              <PipelineSeries alias={alias} pipeline={pipeline} />
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

function PipelineFacts({ pipeline }: { pipeline: Pipeline }) {
  const { description, state_since, schedule, timezone, next_run_at, is_served, concurrency } = pipeline
  return (
    <>
      {description !== '' && <p>{description}</p>}
      <Facts
        of={{
          State: (
            <span className="row">
              <StatusChip of={showPipelineState(pipeline)} />
              {state_since !== null && (
                <span>
                  since <Time at={state_since} />
                </span>
              )}
            </span>
          ),
          Schedule: schedule === null ? 'by hand only' : <Schedule cron={schedule} timezone={timezone} />,
          'Next run': next_run_at !== null && <Time at={next_run_at} />,
          Worker: is_served ? 'connected' : 'not connected: runs cannot start until a worker connects',
          'While one runs': concurrency === 'skip' ? 'another one is skipped' : 'another one waits for its turn',
        }}
      />
    </>
  )
}
