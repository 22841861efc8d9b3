import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Eraser } from '#ports/eraser.ts'

export function aiEraser({ db }: { readonly db: Db }): Eraser {
  return {
    async eraseOrganization(orgId) {
      await db.query(sql`delete from ai.agent_pool_days where org_id = ${orgId}`)
      await db.query(sql`delete from ai.gateway_usage where org_id = ${orgId}`)
      return undefined
    },
  }
}
