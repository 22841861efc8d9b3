import { ServiceError } from '#contract/core/errors.ts'
import { programOutput } from '../copy/programs.ts'
import { openPassword } from '../model/new-database.ts'
import type { DatabaseRow } from '../model/store.ts'
import type { DatabaseDeps } from '../servers/deps.ts'

const MAX_DUMP_MS = 6 * 3600_000
const OPTIONS = ['--no-owner', '--no-privileges', '--no-tablespaces', '--no-security-labels', '--no-subscriptions']

/** Yields the output of `pg_dump`, and ends it when the signal is aborted. */
export async function* sqlOf(deps: DatabaseDeps, row: DatabaseRow, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { admin, dumpSql } = deps.servers.engineOf(row)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(MAX_DUMP_MS)])
  if (dumpSql) return yield* dumpSql(row.physical_name, deadline)
  // The owner's own login, because code of the tenant can run in the session of a dump.
  const login = { role: row.owner_role, password: openPassword(row, 'owner', deps.sealer) }
  const target = admin!.entrance.dumpTarget(login, row.physical_name)
  const side = { target, args: [...OPTIONS, '--lock-wait-timeout=10s'] }
  try {
    yield* programOutput({ path: undefined, deadline }, 'pg_dump', side)
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'INVALID_REQUEST' ? notInstalled(row.name) : error
  }
}

function notInstalled(name: string): ServiceError {
  return new ServiceError(
    'CONFLICT',
    `The server cannot dump ${name}: pg_dump is not installed there. Install the client programs of Postgres on the ` +
      `server, or run pg_dump "$(svc db connect ${name} -q)" on your machine.`,
  )
}
