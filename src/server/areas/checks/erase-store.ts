import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { deleteRows } from '#lib/work/delete-rows.ts'
import type { Eraser } from '#ports/eraser.ts'

/** Checks go with their app, runs do not. */
export function checksEraser({ db }: { readonly db: Db }): Eraser {
  return {
    async eraseOrganization(orgId, signal) {
      await deleteRows(db, sql`checks.runs`, sql`org_id = ${orgId}`, signal)
      return undefined
    },
  }
}
