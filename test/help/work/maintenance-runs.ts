import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Makes apps of one organization, each with a maintenance run, and returns the ids of the runs. */
export async function insertRuns(db: Db, orgId: string, count: number, status: 'queued' | 'ended'): Promise<string[]> {
  const apps = Array.from({ length: count }, () => newId('app'))
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    select id, ${orgId}, lower(id), 'shop', lower(id), '/', 'active', 'usr_1', now() from unnest(${apps}::text[]) as app (id)`)
  const runs = apps.map(() => newId('exe'))
  await db.query(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, created_at, ended_at)
    select id, ${orgId}, app_id, 'manual', 'builtin/detectors', ${status},
      case when ${status} = 'ended' then 'proposed' end, now(), case when ${status} = 'ended' then now() end
    from unnest(${runs}::text[], ${apps}::text[]) as run (id, app_id)`)
  return runs
}
