import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Eraser } from '#ports/eraser.ts'

/** Runs, findings and proposals go with their app. */
export function maintenanceEraser({ db }: { readonly db: Db }): Eraser {
  return {
    async eraseOrganization(orgId) {
      await db.query(sql`delete from maintenance.orgs where org_id = ${orgId}`)
      return undefined
    },
  }
}
