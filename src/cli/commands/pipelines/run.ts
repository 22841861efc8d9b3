import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Client } from '#contract/core/client.ts'
import { type PipelineRun, readPipelineRun, runPipeline } from '#contract/pipelines.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { Unsuccessful } from '../../terminal/exit.ts'
import { show } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { lineOf } from './line.ts'
import { readLines } from './read-lines.ts'

type Flags = OutputFlags & LoginFlags & { follow?: boolean }
type Named = { alias: string; name: string; run_id: string }

const POLL_MS = 1_000

export async function run([alias, name]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const started = await client.call(runPipeline, { alias, name }, { idempotencyKey: randomUUID() })
  if (!flags.follow) {
    show(cli, flags.output, started, () => `Run ${started.id} of ${name} is ${started.state}.`)
    return
  }
  const ended = await follow(client, { alias, name, run_id: started.id }, cli)
  show(cli, flags.output, ended, () => outcomeOf(name, ended))
  if (ended.state !== 'succeeded') throw new Unsuccessful()
}

/** Shows lines on stderr as they come, so that stdout has the run alone. */
async function follow(client: Client, named: Named, cli: Cli): Promise<PipelineRun> {
  let after = 0
  while (true) {
    // Read before the lines: a run that has ended by now has written all of them.
    const current = await client.call(readPipelineRun, named)
    const page = await readLines(client, named, after)
    for (const line of page.lines) cli.note(lineOf(line))
    after = page.after
    if (current.ended_at !== null) return current
    await setTimeout(POLL_MS)
  }
}

function outcomeOf(name: string, { id, state, reason }: PipelineRun): string {
  return `Run ${id} of ${name}: ${state}${reason === null ? '' : `. ${printable(reason)}`}`
}
