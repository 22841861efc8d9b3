import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { deleteRows } from '#lib/work/delete-rows.ts'
import type { Eraser } from '#ports/eraser.ts'

/** Records of questions hold ids and digests only, so those of a person stay with the organization. */
export function activityEraser({ db }: { readonly db: Db }): Eraser {
  return {
    async eraseOrganization(orgId, signal) {
      await deleteRows(db, sql`activity.records`, sql`org_id = ${orgId}`, signal)
      await db.query(sql`delete from activity.quotas where org_id = ${orgId}`)
      return undefined
    },
  }
}
