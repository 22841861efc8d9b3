import { useNavigate } from '@tanstack/react-router'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import {
  changePipeline,
  deletePipeline,
  listPipelineRuns,
  listPipelines,
  type Pipeline,
  runPipeline,
} from '#contract/pipelines.ts'

type Props = { alias: string; pipeline: Pipeline }

export function PipelineActs({ alias, pipeline }: Props) {
  const navigate = useNavigate()
  const named = { alias, name: pipeline.name }
  const changes = [listPipelines, listPipelineRuns]
  return (
    <>
      {pipeline.enabled ? (
        <>
          <ActButton op={runPipeline} input={named} look="main" changes={changes} done={`Started ${pipeline.name}.`}>
            Run pipeline
          </ActButton>
          <AskButton
            title="Disable pipeline"
            op={changePipeline}
            input={{ ...named, enabled: false }}
            changes={changes}
            done={`Disabled ${pipeline.name}.`}
          >
            <p>
              <strong>{pipeline.name}</strong> does not run and never alerts until it is enabled again. Runs that wait
              are skipped; one that is under way ends.
            </p>
          </AskButton>
        </>
      ) : (
        <ActButton
          op={changePipeline}
          input={{ ...named, enabled: true }}
          look="main"
          changes={changes}
          done={`Enabled ${pipeline.name}.`}
        >
          Enable pipeline
        </ActButton>
      )}
      {!pipeline.is_served && (
        <AskButton
          look="danger"
          title="Delete pipeline"
          typed={pipeline.name}
          op={deletePipeline}
          input={named}
          changes={[listPipelines]}
          done={`Deleted ${pipeline.name}.`}
          after={() => void navigate({ to: '/apps/$alias/pipelines', params: { alias } })}
        >
          <p>The pipeline is deleted with its history. It comes back when a worker that declares it connects.</p>
        </AskButton>
      )}
    </>
  )
}
