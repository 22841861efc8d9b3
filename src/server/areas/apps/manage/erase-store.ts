import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { deleteRows } from '#lib/work/delete-rows.ts'
import type { Eraser } from '#ports/eraser.ts'
import { markDeleting } from './delete-store.ts'

/** Apps are deleted as on request: their host stops them first. Everything that belongs to an app goes with its row. */
export function appsEraser({ db }: { readonly db: Db }): Eraser {
  const appsOf = (orgId: string) =>
    db.query<{ id: string }>(sql`select id from apps.apps where org_id = ${orgId} order by id`)
  return {
    async closeOrganization(orgId) {
      for (const { id } of await appsOf(orgId)) await db.tx((tx) => markDeleting(tx, id))
    },
    async eraseOrganization(orgId, signal) {
      const [app] = await appsOf(orgId)
      if (app) return `the app ${app.id} is still being stopped`
      await deleteRows(db, sql`apps.blobs`, sql`org_id = ${orgId}`, signal)
      await db.query(sql`delete from apps.revision_stores where org_id = ${orgId}`)
      return undefined
    },
    async erasePerson({ id }) {
      await db.query(sql`delete from apps.people where user_id = ${id}`)
      return undefined
    },
  }
}
