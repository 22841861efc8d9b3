import { onConnection, type SendText } from '#lib/db/single-connection.ts'
import { refusal } from './check.ts'
import { SCAN_LIMIT_MS } from './sides.ts'

/** Throws if a table of the copy has another number of rows. */
export async function compareRows(fromUrl: string, toUrl: string): Promise<void> {
  const count = (url: string) => onConnection(url, SCAN_LIMIT_MS, countRows)
  const [original, copy] = await Promise.all([count(fromUrl), count(toUrl)])
  const different = [...original].find(([table, rows]) => copy.get(table) !== rows)
  if (different) {
    throw refusal(`The copy of ${different[0]} has ${copy.get(different[0]) ?? 'no'} rows instead of ${different[1]}.`)
  }
}

async function countRows(send: SendText): Promise<Map<string, string>> {
  await send('set search_path = pg_catalog')
  // A policy that would hide rows then fails the count.
  await send('set row_security = off')
  const tables = await send<{ name: string }>(
    `select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema$)'
       and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
     order by 1`,
  )
  const counts = new Map<string, string>()
  for (const { name } of tables) {
    const [row] = await send<{ rows: string }>(`select count(*)::text as rows from only ${name}`)
    counts.set(name, row!.rows)
  }
  return counts
}
