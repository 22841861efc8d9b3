import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CheckRun, readCheckRun, runCheck } from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { Unsuccessful } from '../../terminal/exit.ts'
import { show } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

type Flags = OutputFlags & LoginFlags & { noWait?: boolean }

const POLL_MS = 500
/** A model may take five minutes, and other runs can be first. */
const MAX_WAIT_MS = 15 * 60_000

export async function run([alias, check]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const queued = await client.call(runCheck, { alias, check }, { idempotencyKey: randomUUID() })
  if (flags.noWait) {
    show(cli, flags.output, queued, () => `Queued the run ${queued.id}.`)
    return
  }
  const ended = await cli.progress('Running the check', untilEnded(client, { alias, check }, queued))
  show(cli, flags.output, ended, () => `${ended.verdict}: ${printable(ended.detail ?? ended.code ?? '')}`)
  if (ended.verdict !== 'pass') throw new Unsuccessful()
}

async function untilEnded(client: Client, of: { alias: string; check: string }, queued: CheckRun): Promise<CheckRun> {
  const deadline = Date.now() + MAX_WAIT_MS
  let latest = queued
  while (latest.state !== 'ended') {
    if (Date.now() > deadline) {
      throw new ServiceError(
        'TIMEOUT',
        `The run ${queued.id} has not ended within 15 minutes. Look again later with svc checks history.`,
      )
    }
    await sleep(POLL_MS)
    latest = await client.call(readCheckRun, { ...of, run_id: queued.id })
  }
  return latest
}
