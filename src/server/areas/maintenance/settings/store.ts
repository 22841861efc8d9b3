import { DEFAULT_CADENCE, type OrgMaintenance } from '#contract/maintenance/settings.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'

const OFF: OrgMaintenance = { enabled: false, model: null, ...DEFAULT_CADENCE }

export async function readOrg(db: Querier, orgId: string, lock = sql``): Promise<OrgMaintenance> {
  const [row] = await db.query<OrgMaintenance>(sql`
    select enabled, model, nightly_cron, timezone, cooldown_hours from maintenance.orgs
    where org_id = ${orgId} ${lock}`)
  return row ?? OFF
}

/** As `readOrg`, and holds off changes of the settings until the transaction ends. Lock the organization before an app. */
export function holdOrg(tx: Tx, orgId: string): Promise<OrgMaintenance> {
  return readOrg(tx, orgId, sql`for share`)
}

type By = { by: string; at: Date }

/** Makes the row that changes of the settings wait for, where there is none yet, and reads it. */
export async function lockOrg(tx: Tx, orgId: string, { by, at }: By): Promise<OrgMaintenance> {
  await tx.query(sql`
    insert into maintenance.orgs (org_id, enabled, nightly_cron, timezone, cooldown_hours, updated_by, updated_at)
    values (${orgId}, false, ${OFF.nightly_cron}, ${OFF.timezone}, ${OFF.cooldown_hours}, ${by}, ${at})
    on conflict (org_id) do nothing`)
  return readOrg(tx, orgId, sql`for update`)
}

export async function saveOrg(tx: Tx, orgId: string, settings: OrgMaintenance, { by, at }: By): Promise<void> {
  await tx.query(sql`
    update maintenance.orgs
    set enabled = ${settings.enabled}, model = ${settings.model}, nightly_cron = ${settings.nightly_cron},
      timezone = ${settings.timezone}, cooldown_hours = ${settings.cooldown_hours}, updated_by = ${by},
      updated_at = ${at}
    where org_id = ${orgId}`)
}

export async function readApp(db: Querier, appId: string, lock = sql``): Promise<{ enabled: boolean }> {
  const [row] = await db.query<{ enabled: boolean }>(sql`
    select enabled from maintenance.apps where app_id = ${appId} ${lock}`)
  return row ?? { enabled: false }
}

/** As `holdApp`, for the one who switches it. An app that was never switched has no row to hold. */
export function lockApp(tx: Tx, appId: string): Promise<{ enabled: boolean }> {
  return readApp(tx, appId, sql`for update`)
}

/** As `readApp`, and holds off switching the app until the transaction ends. */
export function holdApp(tx: Tx, appId: string): Promise<{ enabled: boolean }> {
  return readApp(tx, appId, sql`for share`)
}

type AppSwitch = By & { orgId: string; appId: string; enabled: boolean }

export async function saveApp(tx: Tx, { orgId, appId, enabled, by, at }: AppSwitch): Promise<void> {
  await tx.query(sql`
    insert into maintenance.apps (app_id, org_id, enabled, updated_by, updated_at)
    values (${appId}, ${orgId}, ${enabled}, ${by}, ${at})
    on conflict (app_id) do update
    set enabled = excluded.enabled, updated_by = excluded.updated_by, updated_at = excluded.updated_at`)
}

export async function switchOffApps(tx: Tx, orgId: string, { by, at }: By): Promise<void> {
  await tx.query(sql`
    update maintenance.apps set enabled = false, updated_by = ${by}, updated_at = ${at}
    where org_id = ${orgId} and enabled`)
}

/** The day of the token pool that checks and maintenance share follows this timezone. */
export async function maintenanceTimezoneOf(db: Querier, orgId: string): Promise<string> {
  return (await readOrg(db, orgId)).timezone
}

/** Selects the runs of the organization, each with the app that it looked at. */
export function maintenanceRunApps(orgId: string): Sql {
  return sql`select id, app_id from maintenance.runs where org_id = ${orgId}`
}
