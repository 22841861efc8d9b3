import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CheckRun, readCheckRun, runCheck } from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { clientCommand } from '../../call/client-command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printable } from '../../terminal/printable.ts'

const POLL_MS = 500
/** A model may take five minutes, and other runs can be first. */
const MAX_WAIT_MS = 15 * 60_000

export const { run } = clientCommand(async (client, [alias, check], { noWait }: { noWait?: boolean }, cli) => {
  const queued = await client.call(runCheck, { alias, check }, { idempotencyKey: randomUUID() })
  if (noWait) return { document: queued, text: `Queued the run ${queued.id}.` }
  const ended = await cli.progress('Running the check', untilEnded(client, { alias, check, queued }, cli))
  const text = `${ended.verdict}: ${printable(ended.detail ?? ended.code ?? '')}`
  return { document: ended, text, isFailure: ended.verdict !== 'pass' }
})

type Queued = { alias: string; check: string; queued: CheckRun }

async function untilEnded(client: Client, { queued, ...of }: Queued, { config }: Cli): Promise<CheckRun> {
  const deadline = Date.now() + MAX_WAIT_MS
  let latest = queued
  while (latest.state !== 'ended') {
    if (Date.now() > deadline) {
      throw new ServiceError(
        'TIMEOUT',
        `The run ${queued.id} has not ended within 15 minutes. Look again later with ${config.program} checks history.`,
      )
    }
    await sleep(POLL_MS)
    latest = await client.call(readCheckRun, { ...of, run_id: queued.id })
  }
  return latest
}
