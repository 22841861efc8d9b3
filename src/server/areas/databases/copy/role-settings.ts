import type { Querier } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'
import type { Managed } from '../engine/engine.ts'
import type { SendText } from '../engine/postgres/entrance.ts'

type Owner = Pick<Managed, 'owner_role' | 'physical_name'>
export type Setting = { name: string; value: string; everywhere: boolean }

/** Returns what the owner set for its own role, without what has no effect for a role. Read in the platform's database, because all databases share this. */
export async function settingsOf(db: Querier, { owner_role, physical_name }: Owner): Promise<Setting[]> {
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
export async function copySettings(send: SendText, settings: readonly Setting[], row: Owner): Promise<void> {
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
