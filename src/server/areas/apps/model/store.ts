import type { AppSettings } from '#contract/apps/apps.ts'
import type { DeployFailure, DeployState } from '#contract/apps/deploys.ts'
import { notFound } from '#contract/core/errors.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { AppName } from '#ports/apps.ts'

export type AppRow = AppSettings & {
  id: string
  org_id: string
  alias: string
  name: string
  host_label: string
  state: 'active' | 'deleting'
  created_by: string
  created_at: Date
}

const COLUMNS = sql`
  app.id, app.org_id, app.alias, app.name, app.host_label, app.build_command, app.start_command, app.health_path,
  app.state, app.created_by, app.created_at`

/** Finds an app in whatever state, also one that is being deleted. */
export async function findApp(db: Querier, orgId: string, key: { alias: string } | { id: string }) {
  const isMeant = 'alias' in key ? sql`alias = ${key.alias}` : sql`id = ${key.id}`
  const [row] = await db.query<AppRow>(sql`
    select ${COLUMNS} from apps.apps app where org_id = ${orgId} and ${isMeant}`)
  return row
}

/** Throws "No such app." for an app of another organization, an unknown one and one that is being deleted. */
export async function requireApp(db: Querier, orgId: string, alias: string): Promise<AppRow> {
  const app = await findApp(db, orgId, { alias })
  if (app?.state !== 'active') throw notFound('app')
  return app
}

/**
 * As `requireApp`, and holds off every other change of the app until the transaction ends: its deletion does not begin,
 * and what is counted (people, variables, deploys) stays counted. Take this lock before all others of the app.
 */
export async function lockActiveApp(tx: Tx, orgId: string, alias: string): Promise<AppRow> {
  const [app] = await tx.query<AppRow>(sql`
    select ${COLUMNS} from apps.apps app
    where org_id = ${orgId} and alias = ${alias} and state = 'active' for no key update`)
  if (!app) throw notFound('app')
  return app
}

/**
 * Finds an active app, with `isHeld` so that its deletion waits until the transaction ends. An alias has no underscore
 * and an id has one, so that no text is both.
 */
export async function findName(db: Querier, orgId: string, aliasOrId: string, { isHeld = false } = {}) {
  const [app] = await db.query<AppName>(sql`
    select id, alias, name from apps.apps
    where org_id = ${orgId} and state = 'active' and (alias = ${aliasOrId} or id = ${aliasOrId})
    ${isHeld ? sql`for share` : sql``}`)
  return app
}

/** By id, also apps that are being deleted. */
export async function findNames(db: Querier, orgId: string, ids: readonly string[]) {
  const apps = await db.query<AppName>(sql`
    select id, alias, name from apps.apps where org_id = ${orgId} and id = any(${ids}::text[])`)
  return new Map(apps.map((app) => [app.id, app]))
}

/** Finds the active app of any organization that has this host label, and whether a deploy of it is starting. */
export async function findByLabel(db: Querier, hostLabel: string) {
  const [app] = await db.query<{ id: string; is_starting: boolean }>(sql`
    select id, exists (select from apps.deploys where app_id = apps.id and state = 'starting') as is_starting
    from apps.apps where host_label = ${hostLabel} and state = 'active'`)
  return app
}

/** Holds off other creations in the organization until the transaction ends. */
export async function lockAlias(tx: Tx, orgId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`apps ${orgId}`}, 0))`)
}

/** Apps of an organization in whatever state: the files of one that is being deleted are still there. */
export async function listAppIds(db: Querier, orgId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select id from apps.apps where org_id = ${orgId}`)
  return rows.map(({ id }) => id)
}

export async function countApps(tx: Tx, orgId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*) from apps.apps where org_id = ${orgId}`)
  return row!.count
}

/** Returns false when an app of any organization has the host label. */
export async function insertApp(tx: Tx, row: AppRow): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into apps.apps
      (id, org_id, alias, name, host_label, build_command, start_command, health_path, state, created_by, created_at)
    values (${row.id}, ${row.org_id}, ${row.alias}, ${row.name}, ${row.host_label}, ${row.build_command},
      ${row.start_command}, ${row.health_path}, ${row.state}, ${row.created_by}, ${row.created_at})
    on conflict (host_label) do nothing
    returning id`)
  return rows.length === 1
}

export async function updateApp(tx: Tx, { id, name, ...settings }: Pick<AppRow, 'id' | 'name'> & AppSettings) {
  await tx.query(sql`
    update apps.apps
    set name = ${name}, build_command = ${settings.build_command}, start_command = ${settings.start_command},
        health_path = ${settings.health_path}
    where id = ${id}`)
}

/** An app with its live and its latest deploy, as it is shown. */
export type AppWithDeploys = AppRow & {
  live_id: string | null
  live_revision_id: string | null
  live_revision_message: string | null
  live_at: Date | null
  latest_id: string | null
  latest_state: DeployState | null
  latest_failure_code: DeployFailure | null
  latest_created_at: Date | null
}

const SHOWN = sql`
  select ${COLUMNS},
    live.id as live_id, live.revision_id as live_revision_id, live.live_at,
    (select message from apps.revisions where revisions.id = live.revision_id) as live_revision_message,
    latest.id as latest_id, latest.state as latest_state, latest.failure_code as latest_failure_code,
    latest.created_at as latest_created_at
  from apps.apps app
  left join apps.deploys live on live.app_id = app.id and live.state = 'live'
  left join lateral (
    select * from apps.deploys where app_id = app.id order by id desc limit 1
  ) latest on true`

export async function showApp(db: Querier, orgId: string, alias: string): Promise<AppWithDeploys> {
  const [row] = await db.query<AppWithDeploys>(sql`${SHOWN} where app.org_id = ${orgId} and app.alias = ${alias}`)
  if (!row) throw notFound('app')
  return row
}

/** Apps of the organization, or only those in which a person has a part. Newest first, one row more than `limit`. */
export async function pageApps(
  db: Querier,
  orgId: string,
  which: 'all' | { readonly userId: string | null },
  { before, limit }: PageQuery,
): Promise<AppWithDeploys[]> {
  const hasPart = (userId: string | null) =>
    sql`exists (select from apps.people where app_id = app.id and user_id = ${userId})`
  return db.query(sql`
    ${SHOWN}
    where app.org_id = ${orgId} and (${before}::text is null or app.id < ${before})
      and ${which === 'all' ? sql`true` : hasPart(which.userId)}
    order by app.id desc limit ${limit + 1}`)
}

export async function readAlias(db: Querier, appId: string): Promise<string> {
  const [row] = await db.query<{ alias: string }>(sql`select alias from apps.apps where id = ${appId}`)
  if (!row) throw new Error(`there is no app ${appId}`)
  return row.alias
}
