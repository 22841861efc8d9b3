import { ServiceError } from '#contract/core/errors.ts'
import type { Db } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import type { Clock } from '#lib/time/clock.ts'
import { withDatabase } from '../life/finish.ts'
import { findByIdOrName, findMove, listMoves } from '../model/move-store.ts'
import type { DatabaseRow } from '../model/store.ts'
import { roomOf } from '../servers/choose-server.ts'
import { openServers } from '../servers/open-servers.ts'
import type { ServerSettings } from '../servers/servers.ts'
import { refusal } from './check.ts'
import { type MoveWaits, moveToServer, planMove } from './move.ts'
import { dropOldCopy } from './undo.ts'

type Options = {
  db: Db
  clock: Clock
  log: Log
  databaseUrl: string
  servers: readonly ServerSettings[]
  publicHost: string | undefined
  /** Folders in which `pg_dump` and `pg_restore` are looked up, as in the variable PATH. */
  path: string | undefined
  print: (line: string) => void
  /** Others than usual: `copyMs` by the operator, all by tests, in which sessions that do not end are made on purpose. */
  waits?: MoveWaits
  /** Returns a signal that is aborted after the time. Tests replace it to choose the moment. */
  startDeadline?: (ms: number) => AbortSignal
}

/** A tenant's code runs while its indexes are built, and may never end. */
const COPY_MS = 24 * 3600_000
const MOVE_ENDED =
  ', so the move was ended. Nothing was changed. An index or a constraint of the database may never end; if it only takes long, allow more with --max-hours'

/** The part of this area that commands of operators use. */
export function createMover({ path, startDeadline = (ms) => AbortSignal.timeout(ms), ...options }: Options) {
  const { db, log } = options
  const onError = (error: unknown) => log.warn({ error }, 'a Postgres server failed')
  const servers = openServers({ ...options, dataDir: '', embeddedMax: 0 }, onError)
  const deps = { ...options, ...options.waits, servers, programs: { path } }
  const copyMs = options.waits?.copyMs ?? COPY_MS
  const keptMove = async ({ id }: DatabaseRow) => {
    const move = await findMove(db, id)
    if (move?.phase !== 'kept') throw refusal('The database has no old copy.')
    return move
  }
  return {
    /** Returns every server with how much of its room is in use. */
    room: () => roomOf(deps),
    moves: () => listMoves(db),
    /** Throws NOT_FOUND, or CONFLICT with the ids when several organizations have a database of that name. */
    find: (idOrName: string) => findOne(db, idOrName),
    plan: (row: DatabaseRow, to: string) => planMove(deps, row, to),
    move: (row: DatabaseRow, to: string) => {
      const deadline = startDeadline(copyMs)
      return moveToServer({ ...deps, programs: { path, deadline, afterDeadline: MOVE_ENDED } }, row, to)
    },
    /** Returns the server that has the old copy of a moved database. */
    oldServerOf: async (row: DatabaseRow) => (await keptMove(row)).from_server,
    dropOld: (row: DatabaseRow) => withDatabase(deps, row, async () => dropOldCopy(deps, row, await keptMove(row))),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.all.map(({ engine }) => engine.close()))
    },
  }
}

async function findOne(db: Db, idOrName: string): Promise<DatabaseRow> {
  const [row, ...others] = await findByIdOrName(db, idOrName)
  if (!row) throw new ServiceError('NOT_FOUND', `No such database: ${idOrName}.`)
  if (others.length === 0) return row
  const ids = [row, ...others].map(({ id, org_id }) => `${id} (of ${org_id})`)
  throw refusal(`Several organizations have a database named ${idOrName}. Use one of these ids: ${ids.join(', ')}.`)
}
