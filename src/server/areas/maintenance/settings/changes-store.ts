import { lowestId } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Settings that decide when and by which model an app is looked at. */
export type ChangedSetting = 'schedule' | 'model' | 'organization_switch' | 'app_switch'

/** The newest change of a person that counts for a proposal. */
export type SettingChange = {
  readonly user_id: string
  readonly changed: readonly ChangedSetting[]
  /** Made within a day before the decision, and not only within a day before the proposal. */
  readonly isRecent: boolean
}

type Proposed = { readonly org_id: string; readonly app_id: string; readonly created_at: Date }

const DAY_MS = 24 * 3_600_000
/** Ids are made a moment before or after the time that an entry names. */
const ID_TOLERANCE_MS = 60_000

/**
 * Finds the people who changed a setting in the 24 hours before a proposal was made or before `now`. The audit trail is read,
 * because the settings themselves name the last person only. Entries of a former release do not say which setting it was.
 */
export async function listSettingChanges(db: Querier, proposed: Proposed, now: Date): Promise<SettingChange[]> {
  const { org_id, app_id } = proposed
  const { firstId, inWindow, isRecent } = windowOf(proposed, now)
  return db.query(sql`
    select distinct on (user_id) user_id, changed, ${isRecent} as "isRecent"
    from (
      select coalesce(detail ->> 'person', actor) as user_id, at,
        coalesce(detail -> 'changed', to_jsonb(array[
          case action when 'maintenance.app_changed' then 'app_switch' else 'schedule' end])) as changed
      from svc.audit
      where org_id = ${org_id} and id >= ${firstId} and (
        action = 'maintenance.org_changed' and target = ${org_id}
        or action = 'maintenance.app_changed' and target = ${app_id})
    ) as change
    where changed <> '[]' and ${inWindow}
    order by user_id, at desc`)
}

/**
 * Finds the people who lost the role of an owner or admin in the same time, so that nobody becomes the only one who can
 * approve by taking it from the others. Entries of a former release do not say which role it was, and count.
 */
export async function listFormerDeciders(db: Querier, proposed: Proposed, now: Date): Promise<string[]> {
  const { firstId, inWindow } = windowOf(proposed, now)
  const rows = await db.query<{ user_id: string }>(sql`
    select distinct target as user_id from svc.audit
    where org_id = ${proposed.org_id} and id >= ${firstId} and ${inWindow}
      and action in ('member.role_changed', 'member.removed', 'member.left')
      and coalesce(detail ->> 'role', '') not in ('owner', 'admin')
      and coalesce(detail ->> 'former_role', 'admin') in ('owner', 'admin')
    order by 1`)
  return rows.map(({ user_id }) => user_id)
}

/** The 24 hours before the proposal was made, and those before `now`. */
function windowOf({ created_at }: Proposed, now: Date) {
  const beforeProposal = new Date(created_at.getTime() - DAY_MS)
  const dayAgo = new Date(now.getTime() - DAY_MS)
  const first = new Date(Math.min(beforeProposal.getTime(), dayAgo.getTime()) - ID_TOLERANCE_MS)
  return {
    firstId: lowestId('aud', first),
    inWindow: sql`(at > ${beforeProposal} and at <= ${created_at} or at > ${dayAgo})`,
    isRecent: sql`at > ${dayAgo}`,
  }
}
