import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { type AuditEntry, audit } from './audit.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.db.query(sql`delete from svc.audit`))
afterAll(() => opened?.[Symbol.asyncDispose]())

const at = new Date('2026-02-03T04:05:06.789Z')
const entry: AuditEntry = { org_id: 'org_1', actor: 'usr_1', action: 'org.created', target: 'org_1', at }
const rows = () => opened.db.query(sql`select org_id, actor, action, target, detail, at from svc.audit order by id`)

describe('the audit trail', () => {
  it('has an entry for each change, in the order of the changes', async () => {
    const byOperator = { ...entry, org_id: null, actor: 'operator', detail: { from: 'viewer', to: ['admin'] } }
    await opened.db.tx(async (tx) => {
      await audit(tx, entry)
      await audit(tx, byOperator)
    })
    expect(await rows()).toEqual([{ ...entry, detail: {} }, byOperator])
  })

  it('has no entry for a change that was rolled back', async () => {
    const undone = opened.db.tx(async (tx) => {
      await audit(tx, entry)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await rows()).toEqual([])
  })
})
