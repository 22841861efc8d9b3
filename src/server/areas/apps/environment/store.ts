import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { APP_VARIABLES } from './sealed.ts'

type VariableRow = { name: string; updated_by: string; updated_at: Date }

export async function listVariables(db: Querier, appId: string): Promise<VariableRow[]> {
  return db.query(sql`
    select name, updated_by, updated_at from apps.environment where app_id = ${appId} order by name collate "C"`)
}

type Change = { appId: string; values: Readonly<Record<string, string>>; by: string; at: Date }

export async function saveVariables(tx: Tx, sealer: Sealer, { appId, values, by, at }: Change): Promise<void> {
  const names = Object.keys(values)
  if (names.length === 0) return
  const sealed = names.map((name) => sealer.seal(values[name]!, APP_VARIABLES.context({ app_id: appId, name })))
  await tx.query(sql`
    insert into apps.environment (app_id, name, value, updated_by, updated_at)
    select ${appId}, variable.name, variable.value, ${by}, ${at}
    from unnest(${names}::text[], ${sealed}::text[]) as variable (name, value)
    on conflict (app_id, name) do update
      set value = excluded.value, updated_by = excluded.updated_by, updated_at = excluded.updated_at`)
}

/** Returns the names that were set. */
export async function removeVariables(tx: Tx, appId: string, names: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    delete from apps.environment where app_id = ${appId} and name = any(${names}::text[]) returning name`)
  return rows.map(({ name }) => name)
}

export async function measureVariables(tx: Tx, appId: string): Promise<{ count: number; bytes: number }> {
  const [row] = await tx.query<{ count: number; bytes: number }>(sql`
    select count(*), coalesce(sum(octet_length(name) + octet_length(value)), 0)::int as bytes
    from apps.environment where app_id = ${appId}`)
  return row!
}

/** Opens the values, for a build, a start or a redactor. */
export async function openEnvironment(db: Querier, sealer: Sealer, appId: string): Promise<Record<string, string>> {
  const rows = await db.query<{ name: string; value: string }>(sql`
    select name, value from apps.environment where app_id = ${appId}`)
  return Object.fromEntries(
    rows.map(({ name, value }) => [name, sealer.open(value, APP_VARIABLES.context({ app_id: appId, name }))]),
  )
}
