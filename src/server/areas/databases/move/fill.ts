import { randomBytes } from 'node:crypto'
import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import { createDumpRole, dropDumpRole, dumpRoleOf } from '../engine/postgres/dump-role.ts'
import type { SendText, Work } from '../engine/postgres/entrance.ts'
import { scramVerifier } from '../engine/scram.ts'
import type { DatabaseRow } from '../model/store.ts'
import { compareRows } from './compare.ts'
import { copyDatabase } from './copy.ts'
import type { Programs } from './programs.ts'
import { SCAN_LIMIT_MS, type Sides } from './sides.ts'

type Fill = Sides & { readonly row: DatabaseRow; readonly programs: Programs; readonly print: (line: string) => void }

/** Creates the empty copy. Until it is filled its owner has a password that only this process knows, and returns it. */
export async function createCopy({ to }: Sides, row: DatabaseRow): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  await to.engine.create({ ...row, owner_verifier: await scramVerifier(password) })
  return password
}

/**
 * Fills the copy from a database that nobody writes to, and compares the number of rows of each table. The owner then has
 * its own password again and no connection.
 */
export async function fillCopy(fill: Fill, password: string): Promise<void> {
  const { from, to, row } = fill
  const dumpPassword = randomBytes(24).toString('base64url')
  await createDumpRole(from.db, row, await scramVerifier(dumpPassword))
  await copyAndCompare(fill, password, dumpPassword)
  // A move that fails before is undone, and the role is dropped then.
  await dropDumpRole(from.db, from.entrance, row)
  const owner = identifier(row.owner_role).text
  await to.db.query(script(`alter role ${owner} connection limit 0 password '${row.owner_verifier}'`))
}

async function copyAndCompare(fill: Fill, password: string, dumpPassword: string): Promise<void> {
  const { from, to, row, programs, print } = fill
  const { physical_name, owner_role } = row
  const asDumper = { role: dumpRoleOf(row), password: dumpPassword }
  const asOwner = { role: owner_role, password }
  const source = from.entrance.dumpTarget(asDumper, physical_name)
  const copy = to.entrance.restoreTarget(asOwner, physical_name)
  const inCopy = <T>(work: Work<T>) => to.entrance.enterAs(asOwner, physical_name, SCAN_LIMIT_MS, work)
  const notes = await copyDatabase({ programs, source, copy, print })
  for (const note of notes) print(note)
  print('Analyzing and comparing.')
  await inCopy((send) => send('analyze'))
  const settings = await settingsOf(from.db, row)
  await inCopy((send) => copySettings(send, settings, row))
  await compareRows(
    (work) => from.entrance.enterAs(asDumper, physical_name, SCAN_LIMIT_MS, work),
    (work) => to.entrance.enter(physical_name, SCAN_LIMIT_MS, work),
  )
}

type Setting = { name: string; value: string; everywhere: boolean }

/** Returns what the owner set for its own role, without what has no effect for a role. Read in the platform's database, because all databases share this. */
async function settingsOf(db: Db, { owner_role, physical_name }: DatabaseRow): Promise<Setting[]> {
  return db.query<Setting>(sql`
    select split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value,
           s.setdatabase = 0 as everywhere
    from pg_catalog.pg_db_role_setting s join pg_catalog.pg_roles r on r.oid = s.setrole,
         unnest(s.setconfig) as setting
    where r.rolname = ${owner_role}
      and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = ${physical_name}))
      and split_part(setting, '=', 1) not in ('role', 'session_authorization', 'transaction_read_only',
                                              'transaction_isolation', 'transaction_deferrable')`)
}

/**
 * Copies these settings. Statements are run as the owner, who may set nothing else. Each is set inside one statement, so
 * that neither a time limit nor a read-only default among them keeps the next from being copied.
 */
async function copySettings(send: SendText, settings: readonly Setting[], row: DatabaseRow): Promise<void> {
  for (const { name, value, everywhere } of settings) {
    const where = everywhere ? '' : `in database ${identifier(row.physical_name).text} `
    const alter = `alter role ${identifier(row.owner_role).text} ${where}set ${settingName(name)} from current`
    const body = `begin perform pg_catalog.set_config(%L, %L, true); %s; end`
    const [block] = await send<{ text: string }>(
      `select format('do %L', format($1, $2::text, $3::text, $4::text)) as text`,
      [body, name, value, alter],
    )
    await send(block!.text)
  }
}

/** A setting of an extension has a dot in its name. */
function settingName(name: string): string {
  return name
    .split('.')
    .map((part) => identifier(part).text)
    .join('.')
}
