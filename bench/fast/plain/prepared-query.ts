import type pg from 'pg'
import type { Sql } from '#lib/db/sql.ts'

export async function queryPrepared<Row>(client: pg.PoolClient, { name, text, values }: Sql): Promise<Row[]> {
  return (await client.query({ name, text, values: [...values] })).rows as Row[]
}
