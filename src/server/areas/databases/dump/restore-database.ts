import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { ServiceError } from '#contract/core/errors.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import { openTemporaryFolder } from '#lib/files/temporary-folder.ts'
import { countRows } from '../copy/count-rows.ts'
import { restoreRights, STRICT, writeLists } from '../copy/lists.ts'
import { feedProgram, type Programs, runProgram } from '../copy/programs.ts'
import { copySettings, type Setting } from '../copy/role-settings.ts'
import { type Managed, type ManagedEngine, OWNER } from '../engine/engine.ts'
import type { Work } from '../engine/postgres/entrance.ts'
import { scramVerifier } from '../engine/scram.ts'
import { POSTGRES_PARTS } from './parts.ts'

type Restore = {
  readonly engine: ManagedEngine & Required<Pick<ManagedEngine, 'admin'>>
  readonly managed: Managed & { readonly owner_connections: number | null }
  readonly programs: Programs
}

/** A restore that takes the parts of a dump in their order, then `finish`. */
export type RestoredDatabase = AsyncDisposable & {
  take(part: string, content: Readable): Promise<void>
  /** Returns notes for the operator. */
  finish(): Promise<string[]>
}

const SCAN_LIMIT_MS = 6 * 3600_000

/**
 * Creates a database anew and fills it as its owner, because code of the tenant runs meanwhile. Until it is filled the
 * owner has a password that only this process knows.
 */
export async function restoreDatabase(restore: Restore): Promise<RestoredDatabase> {
  const { engine, managed, programs } = restore
  const { entrance, db } = engine.admin
  await refuseExisting(restore)
  const login = { role: managed.owner_role, password: randomBytes(24).toString('base64url') }
  await engine.create({ ...managed, owner_verifier: await scramVerifier(login.password) })
  const target = entrance.restoreTarget(login, managed.physical_name)
  const inside = <T>(work: Work<T>) => entrance.enterAs(login, managed.physical_name, SCAN_LIMIT_MS, work)
  const folder = await openTemporaryFolder('svc-restore-')
  const archive = join(folder.path, 'schema')
  let lists: Awaited<ReturnType<typeof writeLists>> | undefined
  let counts: Record<string, number> = {}
  let settings: readonly Setting[] = []
  const restoreList = (list: string) =>
    runProgram(programs, 'pg_restore', target, [...STRICT, `--use-list=${list}`, archive])
  const takers: Record<string, (content: Readable) => Promise<void>> = {
    [POSTGRES_PARTS.schema]: async (content) => {
      await pipeline(content, createWriteStream(archive, { mode: 0o600 }))
      lists = await writeLists(programs, archive, folder.path)
      await restoreList(lists.before)
    },
    [POSTGRES_PARTS.rows]: (content) =>
      feedProgram(programs, 'pg_restore', { target, args: [...STRICT, '--data-only'] }, content),
    [POSTGRES_PARTS.counts]: async (content) => {
      counts = (await json(content)) as Record<string, number>
    },
    [POSTGRES_PARTS.settings]: async (content) => {
      settings = (await json(content)) as Setting[]
    },
  }
  return {
    take: async (part, content) => takers[part]?.(content),
    async finish() {
      if (!lists) throw new ServiceError('CONFLICT', 'The schema of the database is not in the archive.')
      await restoreList(lists.after)
      const notes = await restoreRights(programs, target, lists.rights, archive)
      await inside((send) => send('analyze'))
      await inside((send) => copySettings(send, settings, managed))
      compareCounts(await inside(countRows), counts)
      const owner = identifier(managed.owner_role).text
      const connections = managed.owner_connections ?? OWNER.connections
      await db.query(script(`alter role ${owner} connection limit ${connections} password '${managed.owner_verifier}'`))
      return notes
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** A database of that name may be the one that was backed up, which must not be touched. */
async function refuseExisting({ engine, managed: { physical_name } }: Restore): Promise<void> {
  const found = await engine.admin.db.query(sql`select from pg_catalog.pg_database where datname = ${physical_name}`)
  if (found.length === 0) return
  throw new ServiceError(
    'CONFLICT',
    `The server has a database ${physical_name} already. Restore to a server without databases of svc.`,
  )
}

function compareCounts(found: ReadonlyMap<string, number>, expected: Record<string, number>): void {
  const [different] = Object.entries(expected).filter(([table, rows]) => found.get(table) !== rows)
  if (!different) return
  const [table, rows] = different
  throw new ServiceError('CONFLICT', `${table} has ${found.get(table) ?? 'no'} rows instead of ${rows}.`)
}
