import type { CountCopied, SendText } from '../engine/postgres/entrance.ts'

/**
 * Counts with COPY, which reads a table without a plan. A plan evaluates expressions of the table's indexes and statistics,
 * which can call functions of the tenant. Only the shortest column of each row is sent.
 */
export async function countRows(send: SendText, countCopied: CountCopied): Promise<Map<string, number>> {
  const tables = await send<{ name: string; column: string | null }>(
    `select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name,
            (select quote_ident(a.attname) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
             order by a.attlen < 0, a.attlen, a.attnum limit 1) as column
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema$)'
       and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
     order by 1`,
  )
  const counts = new Map<string, number>()
  for (const { name, column } of tables) {
    counts.set(name, await countCopied(`copy ${name}${column === null ? '' : ` (${column})`} to stdout`))
  }
  return counts
}
