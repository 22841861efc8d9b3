import { randomUUID } from 'node:crypto'
import { type MaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import { usageError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { Unsuccessful } from '../../../terminal/exit.ts'
import { onInterrupt } from '../../../terminal/foreground.ts'
import { show } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { untilEnded } from './follow.ts'
import { notToldNotes } from './not-told.ts'
import { exitOf, modelNotes, resultText, spentText } from './texts.ts'

type Flags = OutputFlags & LoginFlags & { follow?: boolean; async?: boolean; idempotencyKey?: string }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  if (flags.async && flags.follow) throw usageError('--async does not wait and --follow does. Give one of them.')
  const client = await openClient(flags, cli)
  const idempotencyKey = flags.idempotencyKey ?? randomUUID()
  const started = await client.call(startMaintenanceRun, { alias, mode: 'manual' }, { idempotencyKey })
  if (flags.async) {
    show(cli, flags.output, { execution_id: started.execution_id }, () => started.execution_id)
    return
  }
  const asLines = flags.follow === true && flags.output === 'json'
  const report = reporter(cli, flags, asLines)
  report({ type: 'execution_created', execution_id: started.execution_id }, `Started ${started.execution_id}.`)
  const again = `${cli.config.program} apps maintenance run ${alias} --follow --idempotency-key ${idempotencyKey}`
  const waiting = untilEnded(client, {
    alias,
    started,
    again,
    timeoutSeconds: flags.timeout,
    onStatus: (status) =>
      report(
        { type: 'status', execution_id: started.execution_id, status },
        status === 'ended' ? 'Ended.' : `${status} …`,
      ),
  })
  const forget = onInterrupt(() => cli.note(`\nThe run ${started.execution_id} goes on. Follow it: ${again}`))
  const ended = await cli.progress('Running maintenance', waiting).finally(forget)
  if (asLines) cli.print(JSON.stringify({ type: 'summary', ...ended }))
  else show(cli, flags.output, ended, () => toLines(alias, ended, cli))
  if (ended.outcome === 'finding_recorded') for (const note of modelNotes(ended.model)) cli.note(note)
  if (ended.proposal_id !== null) for (const note of await notToldNotes(client, alias, cli)) cli.note(note)
  const exit = exitOf(ended)
  if (exit !== 0) throw new Unsuccessful(exit)
}

/** With `--follow --json` every line of stdout is one document; otherwise progress is for people and goes to stderr. */
function reporter(cli: Cli, { follow }: Flags, asLines: boolean): (document: object, text: string) => void {
  return (document, text) => {
    if (asLines) cli.print(JSON.stringify(document))
    else if (follow) cli.note(text)
  }
}

function toLines(alias: string, ended: MaintenanceRun, { config }: Cli): string[] {
  const { summary, terminal_code: code } = ended
  return [
    `${resultText(ended)} (${printable(code ?? ended.status)}).`,
    ...(summary === null ? [] : [printable(summary)]),
    ...(ended.tokens_spent === 0 ? [] : [`Spent ${spentText(ended)}.`]),
    ...(ended.proposal_id === null
      ? []
      : [`Proposed ${ended.proposal_id}: ${config.program} apps proposals show ${alias} ${ended.proposal_id} --diff`]),
  ]
}
