import { changePipeline, deletePipeline, listPipelineRuns, listPipelines } from '#contract/pipelines.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'

export const list = listCommand(listPipelines, {
  label: 'Listing pipelines',
  input: ([alias]) => ({ alias }),
  header: ['NAME', 'SCHEDULE', 'WORKER', 'STATE', 'LAST RUN', 'NEXT RUN'],
  cut: ['SCHEDULE'],
  row: (pipeline, cli) => [
    pipeline.name,
    pipeline.schedule === null ? 'by hand' : `${pipeline.schedule} (${pipeline.timezone})`,
    pipeline.is_served ? 'connected' : 'none',
    pipeline.enabled ? (pipeline.state ?? '-') : 'disabled',
    pipeline.last_run ? `${pipeline.last_run.state} ${cli.time(pipeline.last_run.created_at)}` : '-',
    cli.time(pipeline.next_run_at),
  ],
  none: ([alias]) => `${alias} has no pipelines. Workers declare them when they connect.`,
})

export const runs = listCommand(listPipelineRuns, {
  label: 'Listing runs',
  input: ([alias, name]) => ({ alias, name }),
  header: ['RUN', 'STATE', 'TRIGGER', 'SCHEDULED', 'CREATED', 'ENDED', 'REASON'],
  cut: ['REASON'],
  row: ({ id, state, trigger, scheduled_at, created_at, ended_at, reason }, cli) => [
    id,
    state,
    trigger,
    cli.time(scheduled_at),
    cli.time(created_at),
    cli.time(ended_at),
    reason ?? '-',
  ],
  none: ([alias, name], _, { config }) =>
    `${name} has not run yet. Run it: ${config.program} pipelines run ${alias} ${name}`,
})

export const enable = callCommand(changePipeline, {
  input: ([alias, name]) => ({ alias, name, enabled: true }),
  text: ({ next_run_at: next }, [, name], cli) =>
    `${name} is enabled. ${next === null ? 'It runs by hand only.' : `It runs next ${cli.time(next)}.`}`,
})

export const disable = callCommand(changePipeline, {
  input: ([alias, name]) => ({ alias, name, enabled: false }),
  text: (_, [alias, name], { config }) =>
    `${name} is disabled. Enable it again: ${config.program} pipelines enable ${alias} ${name}`,
})

export const remove = callCommand(deletePipeline, {
  input: ([alias, name]) => ({ alias, name }),
  confirm: ([alias, name]) => [`This deletes the pipeline ${name} of ${alias} with its history`, name],
  text: (_, [, name]) => `Deleted ${name}.`,
})
