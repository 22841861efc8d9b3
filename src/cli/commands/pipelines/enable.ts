import { changePipeline } from '#contract/pipelines.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

export async function run([alias, name]: [string, string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const pipeline = await client.call(changePipeline, { alias, name, enabled: true })
  const next =
    pipeline.next_run_at === null ? 'It runs by hand only.' : `It runs next ${cli.time(pipeline.next_run_at)}.`
  show(cli, flags.output, pipeline, () => `${name} is enabled. ${next}`)
}
