import { randomBytes } from 'node:crypto'
import { identifier, script } from '#lib/db/sql.ts'
import type { Programs } from '../copy/programs.ts'
import { copySettings, settingsOf } from '../copy/role-settings.ts'
import { createDumpRole, dropDumpRole, dumpRoleOf } from '../engine/postgres/dump-role.ts'
import type { Work } from '../engine/postgres/entrance.ts'
import { scramVerifier } from '../engine/scram.ts'
import type { DatabaseRow } from '../model/store.ts'
import { compareRows } from './compare.ts'
import { copyDatabase } from './copy.ts'
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
