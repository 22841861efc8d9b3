import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { releaseLease, takeLease } from '#lib/work/lease.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { hostLease } from '../host/jobs.ts'
import { deleteLoop } from './delete.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

async function addApp(id: string, state: 'active' | 'deleting'): Promise<void> {
  await database.db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values (${id}, 'org_1', ${id}, 'App', ${id}, '/', ${state}, 'usr_1', now())`)
}
const exists = async (id: string) => (await database.db.query(sql`select from apps.apps where id = ${id}`)).length === 1
const tick = async () => {
  const now = new Date()
  const next = await deleteLoop(database).tick(now, new AbortController().signal)
  return (next.getTime() - now.getTime()) / 1000
}

it('MA-15 an app that nothing hosts is deleted by the worker, one that is not to be deleted stays', async () => {
  await addApp('app_free', 'deleting')
  await addApp('app_active', 'active')
  expect(await tick()).toBe(600)
  expect([await exists('app_free'), await exists('app_active')]).toEqual([false, true])
})

it('MA-15 an app that a process hosts is left to it, and looked at again soon', async () => {
  await addApp('app_hosted', 'deleting')
  const host = (await takeLease(database.db, hostLease({ id: 'app_hosted' })))!
  expect(await tick()).toBe(5)
  expect(await exists('app_hosted')).toBe(true)
  await releaseLease(database.db, host)
  expect(await tick()).toBe(600)
  expect(await exists('app_hosted')).toBe(false)
})
