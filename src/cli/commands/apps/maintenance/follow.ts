import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { type MaintenanceRun, readMaintenanceRun } from '#contract/maintenance/runs.ts'
import { HintedError } from '../../../command/hinted-error.ts'

type Followed = {
  readonly alias: string
  readonly started: MaintenanceRun
  /** The command that follows the same run again. */
  readonly again: string
  readonly timeoutSeconds: number | undefined
  readonly onStatus: (status: string) => void
}

const POLL_MS = 500
/** A server that is started again is back by then. */
const MAX_SILENT_MS = 120_000

/** Waits for the end of a run. A server that goes away in the middle is asked again until it is back. */
export async function untilEnded(client: Client, followed: Followed): Promise<MaintenanceRun> {
  const { alias, started, again, timeoutSeconds, onStatus } = followed
  const { execution_id } = started
  const giveUpAt = timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutSeconds * 1000
  let latest = started
  let heardAt = Date.now()
  onStatus(latest.status)
  while (latest.status !== 'ended') {
    if (Date.now() > giveUpAt) throw stillRunning(latest, again)
    await sleep(POLL_MS)
    const answer = await client.call(readMaintenanceRun, { alias, execution_id }).catch((error: unknown) => {
      if (isAway(error) && Date.now() - heardAt < MAX_SILENT_MS) return undefined
      throw error
    })
    if (!answer) continue
    heardAt = Date.now()
    if (answer.status !== latest.status) onStatus(answer.status)
    latest = answer
  }
  return latest
}

function isAway(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'UNAVAILABLE' || error.code === 'TIMEOUT')
}

function stillRunning({ execution_id, status }: MaintenanceRun, again: string): ServiceError {
  return new HintedError('TIMEOUT', `The run ${execution_id} is still ${status} and goes on.`, `Follow it: ${again}`)
}
