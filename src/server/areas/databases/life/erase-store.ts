import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Eraser } from '#ports/eraser.ts'
import { moveDatabase, notifyUnfinished } from '../model/store.ts'

/** Databases are dropped as on request, by the worker. */
export function databasesEraser({ db }: { readonly db: Db }): Eraser {
  const databasesOf = (orgId: string) =>
    db.query<{ id: string }>(sql`select id from databases.databases where org_id = ${orgId} order by id`)
  return {
    async closeOrganization(orgId) {
      const rows = await databasesOf(orgId)
      await db.tx(async (tx) => {
        for (const { id } of rows) await moveDatabase(tx, id, ['creating', 'ready', 'failed'], 'dropping')
        await notifyUnfinished(tx)
      })
    },
    async eraseOrganization(orgId) {
      const [database] = await databasesOf(orgId)
      return database && `the database ${database.id} is still being dropped`
    },
  }
}
