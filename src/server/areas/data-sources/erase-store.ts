import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Eraser } from '#ports/eraser.ts'

export function sourcesEraser({ db }: { readonly db: Db }): Eraser {
  const forget = async (orgId: string) => {
    await db.query(sql`delete from data_sources.sources where org_id = ${orgId}`)
  }
  return {
    closeOrganization: forget,
    eraseOrganization: async (orgId) => {
      await forget(orgId)
      return undefined
    },
  }
}
