import { afterAll, beforeAll, expect, it } from 'vitest'
import { lowestId, newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { openTestDatabase } from '#test/database.ts'
import { claimRuns } from '../claims/claim.ts'
import { retentionLoop } from '../retention.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

async function addApp(id: string, orgId: string): Promise<void> {
  await database.db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values (${id}, ${orgId}, ${id.replace('_', '-')}, ${id}, ${id}, '/', 'active', 'test', now())`)
}

type Row = { appId: string; orgId: string; mode?: string; looked?: string; status?: string }

/** A run that waits, and an earlier one of the app that ended with the code `looked`. */
async function addRun({ appId, orgId, mode = 'nightly', looked, status = 'queued' }: Row): Promise<void> {
  await addApp(appId, orgId)
  if (looked !== undefined) {
    await database.db.query(sql`
      insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, created_at, ended_at)
      values (${newId('exe')}, ${orgId}, ${appId}, 'nightly', 'm', 'ended', ${looked}, now(), now())`)
  }
  await database.db.query(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, created_at)
    values (${newId('exe')}, ${orgId}, ${appId}, ${mode}, 'm', ${status}, now())`)
}

it('MA-04 organizations take turns, and apps that were not looked at completely come first', async () => {
  for (const n of [1, 2, 3]) await addRun({ appId: `app_busy${n}`, orgId: 'org_a', looked: 'found_nothing' })
  await addRun({ appId: 'app_cut', orgId: 'org_a', looked: 'budget_exhausted' })
  await addRun({ appId: 'app_hand', orgId: 'org_a', mode: 'manual', looked: 'found_nothing' })
  await addRun({ appId: 'app_other', orgId: 'org_b', looked: 'found_nothing' })
  await addRun({ appId: 'app_running', orgId: 'org_c', status: 'running' })
  await addRun({ appId: 'app_second', orgId: 'org_c' })
  const claimed: string[][] = []
  for (const limit of [2, 2, 4]) {
    claimed.push((await claimRuns(database.db, limit, 60)).map(({ app_id }) => app_id).toSorted())
  }
  expect(claimed).toEqual([
    ['app_hand', 'app_other'],
    ['app_cut', 'app_second'],
    ['app_busy1', 'app_busy2', 'app_busy3'],
  ])
})

it('MA-03 evidence and edits are deleted after 90 days, and runs stay', async () => {
  const now = new Date('2026-06-01T00:00:00Z')
  const daysAgo = (days: number) => lowestId('exe', new Date(now.getTime() - days * 86_400_000))
  await addApp('app_old', 'org_d')
  for (const id of [daysAgo(91), daysAgo(89)]) {
    await database.db.query(sql`
      insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, created_at, ended_at)
      values (${id}, 'org_d', 'app_old', 'nightly', 'm', 'ended', 'found_nothing', now(), now())`)
    await database.db.query(sql`
      insert into maintenance.evidence (run_id, n, kind, reference, sha256, bytes) values (${id}, 1, 'logs', 'x', 'y', 1)`)
    await database.db.query(sql`
      insert into maintenance.edits (run_id, n, path, old_text, new_text) values (${id}, 1, 'a', 'b', 'c')`)
  }
  await retentionLoop({ db: database.db }).tick(now, new AbortController().signal)
  const left = await database.db.query<{ runs: number; evidence: number; edits: number }>(sql`
    select (select count(*) from maintenance.runs where app_id = 'app_old') as runs,
      (select count(*) from maintenance.evidence) as evidence, (select count(*) from maintenance.edits) as edits`)
  expect(left).toEqual([{ runs: 2, evidence: 1, edits: 1 }])
})
