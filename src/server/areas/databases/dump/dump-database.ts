import { randomBytes } from 'node:crypto'
import { countRows } from '../copy/count-rows.ts'
import { PLAIN, ROWS_ONLY, SCHEMA_ONLY } from '../copy/lists.ts'
import { type Programs, readProgram } from '../copy/programs.ts'
import { settingsOf } from '../copy/role-settings.ts'
import type { Managed, ManagedEngine } from '../engine/engine.ts'
import { createDumpRole, dropDumpRole, dumpRoleOf } from '../engine/postgres/dump-role.ts'
import type { CountCopied, SendText } from '../engine/postgres/entrance.ts'
import { scramVerifier } from '../engine/scram.ts'
import { POSTGRES_PARTS, type WritePart } from './parts.ts'

type Admin = NonNullable<ManagedEngine['admin']>

/** The limit of one statement that reads a whole table. */
const SCAN_LIMIT_MS = 6 * 3600_000

/**
 * Dumps a database as of one moment, while its owner goes on. It is read by a role with the rights of its owner, because
 * code of the tenant can run in such a session. The caller holds the lease of the database.
 */
export async function dumpDatabase({ db, entrance }: Admin, managed: Managed, programs: Programs, write: WritePart) {
  const login = { role: dumpRoleOf(managed), password: randomBytes(24).toString('base64url') }
  await createDumpRole(db, managed, await scramVerifier(login.password))
  try {
    const target = entrance.dumpTarget(login, managed.physical_name)
    await entrance.enterAs(login, managed.physical_name, SCAN_LIMIT_MS, async (send, countCopied) => {
      const snapshot = `--snapshot=${await exportSnapshot(send)}`
      const dump = (name: string, options: readonly string[]) =>
        readProgram(programs, 'pg_dump', { target, args: [...PLAIN, ...options, snapshot] }, (output) =>
          write(name, output),
        )
      await dump(POSTGRES_PARTS.schema, SCHEMA_ONLY)
      await dump(POSTGRES_PARTS.rows, ROWS_ONLY)
      await write(POSTGRES_PARTS.counts, await countsOf(send, countCopied))
    })
    await write(POSTGRES_PARTS.settings, JSON.stringify(await settingsOf(db, managed)))
  } finally {
    await dropDumpRole(db, entrance, managed)
  }
}

/** Holds the moment until the connection is closed, however long the programs take. */
async function exportSnapshot(send: SendText): Promise<string> {
  await send('set idle_in_transaction_session_timeout = 0')
  await send('begin isolation level repeatable read read only')
  const [row] = await send<{ id: string }>('select pg_catalog.pg_export_snapshot() as id')
  return row!.id
}

async function countsOf(send: SendText, countCopied: CountCopied): Promise<string> {
  return JSON.stringify(Object.fromEntries(await countRows(send, countCopied)))
}
