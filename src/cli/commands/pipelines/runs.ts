import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Client } from '#contract/core/client.ts'
import { showInvisible } from '#contract/core/show-invisible.ts'
import { type PipelineRun, readPipelineRun, readPipelineRunLog, runPipeline } from '#contract/pipelines.ts'
import { clientCommand } from '../../call/client-command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printable } from '../../terminal/printable.ts'

type RunName = { alias: string; name: string; run_id: string }
type Line = { readonly at: string; readonly level: string; readonly text: string }

const POLL_MS = 1_000

export const run = clientCommand(async (client, [alias, name], flags: { follow?: boolean }, cli) => {
  const started = await client.call(runPipeline, { alias, name }, { idempotencyKey: randomUUID() })
  if (!flags.follow) return { document: started, text: `Run ${started.id} of ${name} is ${started.state}.` }
  const ended = await follow(client, { alias, name, run_id: started.id }, cli)
  return { document: ended, text: outcomeOf(name, ended), isFailure: ended.state !== 'succeeded' }
})

export const logs = clientCommand(async (client, [alias, name, run_id], _, cli) => {
  const { lines } = await cli.progress('Reading the log', readLines(client, { alias, name, run_id }))
  const notes = lines.length === 0 ? ['The run logged nothing.'] : []
  return { document: { lines }, text: lines.map(lineOf), notes }
})

/** Shows lines on stderr as they come, so that stdout has the run alone. */
async function follow(client: Client, named: RunName, cli: Cli): Promise<PipelineRun> {
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

/** Reads all lines of a run after a position, and returns the position of the last one. */
async function readLines(client: Client, named: RunName, after = 0): Promise<{ lines: Line[]; after: number }> {
  const lines: Line[] = []
  let position = after
  while (true) {
    const page = await client.call(readPipelineRunLog, { ...named, after: position })
    lines.push(...page.lines)
    position = page.last ?? position
    if (!page.has_more) return { lines, after: position }
  }
}

function lineOf({ at, level, text }: Line): string {
  return `${at} ${level.padEnd(5)} ${showInvisible(text)}`
}

function outcomeOf(name: string, { id, state, reason }: PipelineRun): string {
  return `Run ${id} of ${name}: ${state}${reason === null ? '' : `. ${printable(reason)}`}`
}
