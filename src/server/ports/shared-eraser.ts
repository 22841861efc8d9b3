import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Eraser } from './eraser.ts'

/** These statements read a whole table, which is rare enough. */
const LONG = { timeoutMs: 10 * 60_000 }
const ID = '^[a-z]+_[0-9a-z]{26}$'

/**
 * The tables that all areas write. The audit log stays, because it is what an operator answers questions with: with ids,
 * without names.
 */
export function sharedEraser({ db }: { readonly db: Db }): Eraser {
  return {
    async eraseOrganization(orgId) {
      await db.tx(async (tx) => {
        await tx.query(sql`delete from svc.outbox where org_id = ${orgId}`)
        await tx.query(sql`delete from svc.idempotency where split_part(caller, '@', 2) = ${orgId}`)
        await tx.query(sql`
          update svc.audit set detail = '{}', target = case when target ~ ${ID} then target else '' end
          where org_id = ${orgId} and (detail <> '{}' or target !~ ${ID})`)
      }, LONG)
      return undefined
    },
    async erasePerson({ id, email }) {
      const address = JSON.stringify(email)
      await db.tx(async (tx) => {
        await tx.query(sql`delete from svc.idempotency where split_part(caller, '@', 1) = ${id}`)
        await tx.query(sql`
          update svc.audit set detail = replace(detail::text, ${address}, ${JSON.stringify(id)})::jsonb
          where strpos(detail::text, ${address}) > 0`)
      }, LONG)
      return undefined
    },
  }
}
