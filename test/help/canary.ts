import type { Db } from '../../src/lib/db/db.ts'
import { identifier, sql } from '../../src/lib/db/sql.ts'

/** Where a secret turned up that must be nowhere: in a table or in a log line, as it is or encoded. */
export async function findSecrets(db: Db, logs: readonly string[], secrets: readonly string[]): Promise<string[]> {
  return [...findIn(await dumpTables(db), secrets), ...findInLogs(logs, secrets)]
}

export function findInLogs(logs: readonly string[], secrets: readonly string[]): string[] {
  return findIn([{ name: 'log', text: logs.join('\n') }], secrets)
}

function findIn(places: readonly { name: string; text: string }[], secrets: readonly string[]): string[] {
  return places.flatMap(({ name, text }) =>
    secrets.flatMap((secret) =>
      spellings(secret)
        .filter(({ spelled }) => text.includes(spelled))
        .map(({ how }) => `${name}: ${how}`),
    ),
  )
}

async function dumpTables(db: Db): Promise<{ name: string; text: string }[]> {
  const tables = await db.query<{ schema: string; name: string }>(sql`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`)
  return Promise.all(
    tables.map(async ({ schema, name }) => {
      const rows = await db.query<{ row: string }>(sql`select t::text as row from ${identifier(schema, name)} t`)
      return { name: `${schema}.${name}`, text: rows.map(({ row }) => row).join('\n') }
    }),
  )
}

/** Base64 of a text depends on where in a group of three it begins, so all three are looked for, less the edges. */
function spellings(secret: string): { how: string; spelled: string }[] {
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + secret).toString('base64')
    return { how: 'base64', spelled: encoded.slice(shift === 0 ? 0 : 4, -4) }
  })
  const hex = { how: 'hex', spelled: Buffer.from(secret).toString('hex') }
  return [{ how: 'raw', spelled: secret }, { how: 'URL', spelled: encodeURIComponent(secret) }, hex, ...base64]
}
