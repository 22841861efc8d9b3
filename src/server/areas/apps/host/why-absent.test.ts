import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startingNote } from './starting-note.ts'
import { createAppTraffic } from './traffic.ts'
import { createWhyAbsent } from './why-absent.ts'

let opened: TestDatabase
const traffic = createAppTraffic()
const clock = testClock()
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened?.[Symbol.asyncDispose]())

async function addApp(label: string, deploy?: 'live' | 'starting' | 'retired'): Promise<void> {
  await opened.db.query(sql`
    insert into apps.apps
      (id, org_id, alias, name, host_label, start_command, health_path, state, created_by, created_at)
    values (${`app_${label}`}, 'org_1', ${label}, ${label}, ${label}, 'node a.mjs', '/', 'active', 'usr_1', now())`)
  if (!deploy) return
  await opened.db.query(sql`
    insert into apps.revisions (id, org_id, app_id, digest, manifest, file_count, total_bytes, created_at)
    values (${`rev_${label}`}, 'org_1', ${`app_${label}`}, '\\x00', '[]', 0, 0, now())`)
  await opened.db.query(sql`
    insert into apps.deploys (id, org_id, app_id, revision_id, kind, state, created_at)
    values (${`dep_${label}`}, 'org_1', ${`app_${label}`}, ${`rev_${label}`}, 'deploy', ${deploy}, now())`)
}
const note = (haveGoneOn: boolean) => startingNote({ db: opened.db, hasOthers: true, haveGoneOn })

describe('OP-07 an app that does not answer', () => {
  it('is starting while svc takes up its live deploy or starts another one, and for no longer than that takes', async () => {
    const whyAbsent = createWhyAbsent({ db: opened.db, clock, traffic })
    await addApp('empty')
    await addApp('live', 'live')
    await addApp('first', 'starting')
    await addApp('old', 'retired')
    const reasons = () => Promise.all(['live', 'first', 'old', 'empty', 'none'].map(whyAbsent))
    expect(await reasons()).toEqual(['starting', 'starting', 'not_running', 'not_running', 'unknown'])
    traffic.host('live', clock.now())
    expect(await whyAbsent('live')).toBe('starting')
    clock.advance(120_000)
    expect(await whyAbsent('live')).toBe('not_running')
  })

  it('is counted at the start of the server, unless another process hosts it', async () => {
    expect(await note(false)).toBe(
      '1 deployed app is starting; until an app runs, its address answers "App is starting"',
    )
    await addApp('second', 'live')
    expect(await note(true)).toMatch(/^2 deployed apps are still running or starting; /)
    await opened.db.query(sql`
      insert into svc.leases (name, holder, fence, expires_at)
      select 'app-host:' || id, 'another/1', nextval('svc.fences'), now() + interval '1 hour' from apps.apps`)
    expect(await note(true)).toBeUndefined()
  })
})
