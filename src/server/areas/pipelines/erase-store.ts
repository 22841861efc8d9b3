import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { deleteRows } from '#lib/work/delete-rows.ts'
import type { Eraser } from '#ports/eraser.ts'

/** Pipelines, functions and workers go with their app, calls do not. */
export function pipelinesEraser({ db }: { readonly db: Db }): Eraser {
  return {
    async eraseOrganization(orgId, signal) {
      await deleteRows(db, sql`pipelines.calls`, sql`org_id = ${orgId}`, signal)
      return undefined
    },
  }
}
