import { randomBytes } from 'node:crypto'
import { onConnection } from '#lib/db/single-connection.ts'
import { identifier, script } from '#lib/db/sql.ts'
import { scramVerifier } from '../scram.ts'
import type { DatabaseRow } from '../store.ts'
import { compareRows } from './compare.ts'
import { copyDatabase } from './copy.ts'
import type { Programs } from './programs.ts'
import { type Admin, SCAN_LIMIT_MS, type Sides } from './sides.ts'

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
export async function fillCopy({ from, to, row, programs, print }: Fill, password: string): Promise<void> {
  const toUrl = ownerUrl(to, row, password)
  const fromUrl = from.urlOf(row.physical_name)
  const notes = await copyDatabase({ programs, fromUrl, toUrl, print })
  for (const note of notes) print(note)
  await copySettings(fromUrl, toUrl, row)
  print('Analyzing and comparing.')
  await onConnection(toUrl, SCAN_LIMIT_MS, (send) => send('analyze'))
  await compareRows(fromUrl, to.urlOf(row.physical_name))
  const owner = identifier(row.owner_role).text
  await to.db.query(script(`alter role ${owner} connection limit 0 password '${row.owner_verifier}'`))
}

function ownerUrl({ urlOf }: Admin, { physical_name, owner_role }: DatabaseRow, password: string): string {
  const url = new URL(urlOf(physical_name))
  return Object.assign(url, { username: owner_role, password }).href
}

type Setting = { name: string; value: string; everywhere: boolean }

/** Copies what the owner set for its own role. Statements are run as the owner, who may set nothing else. */
async function copySettings(fromUrl: string, toUrl: string, { owner_role, physical_name }: DatabaseRow): Promise<void> {
  const settings = await onConnection(fromUrl, SCAN_LIMIT_MS, (send) =>
    send<Setting>(
      `select split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value,
              s.setdatabase = 0 as everywhere
       from pg_catalog.pg_db_role_setting s join pg_catalog.pg_roles r on r.oid = s.setrole,
            unnest(s.setconfig) as setting
       where r.rolname = $1 and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = $2))
         and split_part(setting, '=', 1) not in ('role', 'session_authorization')`,
      [owner_role, physical_name],
    ),
  )
  if (settings.length === 0) return
  await onConnection(toUrl, SCAN_LIMIT_MS, async (send) => {
    for (const { name, value, everywhere } of settings) {
      await send('select pg_catalog.set_config($1, $2, false)', [name, value])
      const where = everywhere ? '' : `in database ${identifier(physical_name).text} `
      await send(`alter role ${identifier(owner_role).text} ${where}set ${settingName(name)} from current`)
    }
  })
}

/** A setting of an extension has a dot in its name. */
function settingName(name: string): string {
  return name
    .split('.')
    .map((part) => identifier(part).text)
    .join('.')
}
