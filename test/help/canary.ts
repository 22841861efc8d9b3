import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Db } from '#lib/db/db.ts'
import { identifier, sql } from '#lib/db/sql.ts'

/** Returns where secrets were found in tables and log lines, plain or encoded. */
export async function findSecrets(db: Db, logs: readonly string[], secrets: readonly string[]): Promise<string[]> {
  return [...findIn(await dumpTables(db), secrets), ...findInLogs(logs, secrets)]
}

export function findInLogs(logs: readonly string[], secrets: readonly string[], name = 'log'): string[] {
  return findIn([{ name, text: logs.join('\n') }], secrets)
}

/** Searches all keys and values of a Redis. It holds counters and strings only. */
export async function findInRedis(url: string, secrets: readonly string[]): Promise<string[]> {
  const redis = new Redis(url)
  const keys = await redis.keys('*')
  const values = await Promise.all(keys.map((key) => redis.get(key).catch(() => null)))
  redis.disconnect()
  return findInLogs([...keys, ...values.map(String)], secrets, 'redis')
}

/** Searches the bytes of every file of a folder, except those below one of `except`. */
export function findInFiles(folder: string, secrets: readonly string[], except: readonly string[] = []): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const searched = paths.filter((path) => !except.some((other) => path.startsWith(`${other}/`)))
  return searched.flatMap((path) => findIn([{ name: path, text: readFileSync(join(folder, path)) }], secrets))
}

/** Works for `Buffer` and string, because the secrets are ASCII. */
type Place = { name: string; text: string | Buffer }

function findIn(places: readonly Place[], secrets: readonly string[]): string[] {
  return places.flatMap(({ name, text }) =>
    secrets.flatMap((secret) =>
      spellings(secret)
        .filter(({ spelled }) => text.includes(spelled))
        .map(({ how }) => `${name}: ${how}`),
    ),
  )
}

/** Reads every table that has a page. Most tables of most tests never had a row, and asking each one takes time. */
async function dumpTables(db: Db): Promise<Place[]> {
  const tables = await db.query<{ schema: string; name: string }>(sql`
    select n.nspname as schema, c.relname as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not in ('pg_catalog', 'information_schema') and c.relkind = 'r' and pg_relation_size(c.oid) > 0`)
  return Promise.all(
    tables.map(async ({ schema, name }) => {
      const rows = await db.query<{ row: string }>(sql`select t::text as row from ${identifier(schema, name)} t`)
      return { name: `${schema}.${name}`, text: rows.map(({ row }) => row).join('\n') }
    }),
  )
}

/**
 * Returns all three base64 forms of a text, which depend on its offset modulo 3, without the characters at the edges.
 */
export function spellings(secret: string): { how: string; spelled: string }[] {
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + secret).toString('base64')
    return { how: 'base64', spelled: encoded.slice(shift === 0 ? 0 : 4, -4) }
  })
  const hex = Buffer.from(secret).toString('hex')
  const hexes = [hex, hex.toUpperCase()].map((spelled) => ({ how: 'hex', spelled }))
  return [{ how: 'raw', spelled: secret }, { how: 'URL', spelled: encodeURIComponent(secret) }, ...hexes, ...base64]
}
