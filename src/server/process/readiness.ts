import type { Readiness } from '#contract/system.ts'
import { within } from '#lib/async/race.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { LockTaken } from '#lib/db/session-lock.ts'
import { CannotWrite } from '#lib/files/data-folder.ts'
import type { Check } from '../compose/parts.ts'

/** Thrown by a check whose message everybody may read. */
export class Unusable extends Error {}

/** Why a process that is about to stop is not ready, although it still answers. */
export class Draining extends Error {
  override readonly message = 'the process stops soon'
}

const CHECK_MS = 2_000

/** Checks every dependency at once. One that does not answer in 2 seconds counts as failing. */
export async function checkReadiness(checks: Readonly<Record<string, Check>>): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await run(check)] as const),
  )
  const dependencies = Object.fromEntries(results)
  const ok = results.every(([, result]) => result.status !== 'failing')
  return { status: ok ? 'ready' : 'not_ready', dependencies }
}

async function run({ ask, optional }: Check): Promise<Readiness['dependencies'][string]> {
  const started = performance.now()
  const duration = () => Math.round(performance.now() - started)
  try {
    await within(CHECK_MS, ask(), () => new Error('late'))
    return { status: 'ok', duration_ms: duration() }
  } catch (error) {
    return { status: optional ? 'degraded' : 'failing', duration_ms: duration(), detail: detailOf(error) }
  }
}

const OTHER_REDIS = 'another process, which does not share a Redis with this one, uses the database'

/** Everybody can read this answer, so it shows only messages that were written for everybody. */
function detailOf(error: unknown): string {
  if (error instanceof CannotWrite || error instanceof Draining || error instanceof Unusable) return error.message
  if (error instanceof DatabaseUnavailable && error.writeFault) return error.writeFault
  if (error instanceof LockTaken) return OTHER_REDIS
  return error instanceof Error && error.message === 'late' ? `no answer in ${CHECK_MS} ms` : 'failed; see the log'
}
