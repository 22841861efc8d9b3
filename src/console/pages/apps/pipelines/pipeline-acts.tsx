import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { Fault } from '#console/parts/fault.tsx'
import {
  changePipeline,
  deletePipeline,
  listPipelineRuns,
  listPipelines,
  type Pipeline,
  runPipeline,
} from '#contract/pipelines.ts'

type Props = { alias: string; pipeline: Pipeline }
type Asking = 'disable' | 'delete' | undefined

/** Runs, enables, disables and deletes a pipeline. */
export function PipelineActs({ alias, pipeline }: Props) {
  const [asking, setAsking] = useState<Asking>()
  const named = { alias, name: pipeline.name }
  const changes = [listPipelines, listPipelineRuns]
  const run = useAct(runPipeline, { changes, done: () => `Started ${pipeline.name}.` })
  const enable = useAct(changePipeline, { changes, done: () => `Enabled ${pipeline.name}.` })
  const close = () => setAsking(undefined)
  return (
    <>
      {pipeline.enabled ? (
        <>
          <button type="button" className="button main" aria-busy={run.isRunning} onClick={() => run.run(named)}>
            Run pipeline
          </button>
          <button type="button" className="button" onClick={() => setAsking('disable')}>
            Disable pipeline
          </button>
        </>
      ) : (
        <button
          type="button"
          className="button main"
          aria-busy={enable.isRunning}
          onClick={() => enable.run({ ...named, enabled: true })}
        >
          Enable pipeline
        </button>
      )}
      {!pipeline.is_served && (
        <button type="button" className="button danger" onClick={() => setAsking('delete')}>
          Delete pipeline
        </button>
      )}
      <Fault of={run.error ?? enable.error} />
      {asking === 'disable' && <Disable alias={alias} pipeline={pipeline} onClose={close} />}
      {asking === 'delete' && <Delete alias={alias} pipeline={pipeline} onClose={close} />}
    </>
  )
}

function Disable({ alias, pipeline, onClose }: Props & { onClose: () => void }) {
  const act = useAct(changePipeline, {
    changes: [listPipelines, listPipelineRuns],
    done: () => `Disabled ${pipeline.name}.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Disable pipeline"
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => act.run({ alias, name: pipeline.name, enabled: false })}
      onClose={onClose}
    >
      <p>
        <strong>{pipeline.name}</strong> does not run and never alerts until it is enabled again. Runs that wait are
        skipped; one that is under way ends.
      </p>
    </Confirm>
  )
}

function Delete({ alias, pipeline, onClose }: Props & { onClose: () => void }) {
  const navigate = useNavigate()
  const act = useAct(deletePipeline, {
    changes: [listPipelines],
    done: () => `Deleted ${pipeline.name}.`,
    after: () => void navigate({ to: '/apps/$alias/pipelines', params: { alias } }),
  })
  return (
    <Confirm
      title="Delete pipeline"
      typed={pipeline.name}
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => act.run({ alias, name: pipeline.name })}
      onClose={onClose}
    >
      <p>The pipeline is deleted with its history. It comes back when a worker that declares it connects.</p>
    </Confirm>
  )
}
