import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { releaseLease, takeLease } from '#lib/work/lease.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { createAppProbe } from './ask-app.ts'
import { createAppTraffic } from './traffic.ts'

let opened: TestDatabase
const traffic = createAppTraffic()
const clock = testClock()
beforeAll(async () => {
  opened = await openTestDatabase()
  await addApp('app_1', 'shop', 'node server.mjs')
  await addApp('app_2', 'elsewhere', null)
})
afterAll(() => opened?.[Symbol.asyncDispose]())

const addApp = (id: string, alias: string, start: string | null) =>
  opened.db.query(sql`
    insert into apps.apps
      (id, org_id, alias, name, host_label, start_command, health_path, state, created_by, created_at)
    values (${id}, 'org_1', ${alias}, ${alias}, ${`${alias}--acme`}, ${start}, '/', 'active', 'usr_1', now())`)
const probe = () => createAppProbe({ db: opened.db, clock, traffic, urlOf: (label) => `https://${label}.apps.test` })
const get = async (id: string, orgId = 'org_1', signal = new AbortController().signal) =>
  probe().get({ orgId, id }, '/up?deep=1', signal)
const serve = (fetch: (request: Request) => Promise<Response>) =>
  traffic.route('shop--acme', {
    address: { socket: '/nowhere' },
    begin: () => () => {},
    fetch,
    beginSocket: () => () => {},
    drain: async () => {},
  })

describe('a request of svc itself to an app', () => {
  it('says why there is no answer', async () => {
    traffic.route('shop--acme', undefined)
    expect(await get('app_1')).toEqual({ type: 'not_running' })
    expect(await get('app_2')).toEqual({ type: 'no_address' })
    expect(await get('app_1', 'org_other')).toEqual({ type: 'no_address' })
    serve(() => Promise.reject(new Error('connection reset')))
    expect(await get('app_1')).toEqual({ type: 'no_answer' })
  })

  it('reaches the instance with the host name of the app, and says that it is a check', async () => {
    serve(async ({ url, method, headers }) => Response.json({ url, method, headers: Object.fromEntries(headers) }))
    const answer = await get('app_1')
    expect(answer.type === 'answered' && (await answer.response.json())).toEqual({
      url: 'http://127.0.0.1/up?deep=1',
      method: 'GET',
      headers: {
        'user-agent': 'svc-check',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': 'shop--acme.apps.test',
        'x-forwarded-proto': 'https',
      },
    })
  })

  it('rejects if it is aborted', async () => {
    serve(() => Promise.reject(new Error('aborted')))
    await expect(get('app_1', 'org_1', AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
  })
})

describe('the host of an app', () => {
  it('is elsewhere while the lease of another process lasts', async () => {
    const elsewhere = async () => [...(await probe().hostedElsewhere(['app_1', 'app_2']))]
    expect(await elsewhere()).toEqual([])
    const own = await takeLease(opened.db, 'app-host:app_1')
    expect(await elsewhere()).toEqual([])
    await releaseLease(opened.db, own!)
    await takeLease({ ...opened.db, instance: 'svc of another process' }, 'app-host:app_1')
    expect(await elsewhere()).toEqual(['app_1'])
    await opened.db.query(sql`update svc.leases set expires_at = clock_timestamp() where name = 'app-host:app_1'`)
    expect(await elsewhere()).toEqual([])
  })
})

describe('NO-19 an app that svc starts again', () => {
  const LABEL = 'bakery--acme'
  beforeAll(async () => {
    await addApp('app_3', 'bakery', 'node server.mjs')
    await opened.db.query(sql`
      insert into apps.revisions (id, org_id, app_id, digest, manifest, file_count, total_bytes, created_at)
      values ('rev_3', 'org_1', 'app_3', '\\x00', '[]', 0, 0, now())`)
    await opened.db.query(sql`
      insert into apps.deploys (id, org_id, app_id, revision_id, kind, state, created_at)
      values ('dep_3', 'org_1', 'app_3', 'rev_3', 'deploy', 'live', now())`)
  })
  const ask = (asked = probe()) => asked.get({ orgId: 'org_1', id: 'app_3' }, '/', new AbortController().signal)
  const instance = (fetch: () => Promise<Response>) => ({
    address: { socket: '/nowhere' },
    begin: () => () => {},
    fetch,
    beginSocket: () => () => {},
    drain: async () => {},
  })
  const restartsOf = async () => Object.fromEntries(await probe().restarts(['app_1', 'app_2', 'app_3']))

  it('is restarting for two minutes after this process took it over, or until it answers', async () => {
    const hosting = traffic.host(LABEL, clock.now())
    expect([await ask(), await restartsOf()]).toEqual([{ type: 'restarting' }, { app_3: { isServed: false } }])
    clock.advance(119_999)
    expect(await ask()).toEqual({ type: 'restarting' })
    clock.advance(1)
    expect([await ask(), await restartsOf()]).toEqual([{ type: 'not_running' }, {}])
    hosting.end()
  })

  it('that ends by itself after it answered is not running, also within the two minutes', async () => {
    const hosting = traffic.host(LABEL, clock.now())
    hosting.served()
    traffic.route(
      LABEL,
      instance(() => Promise.reject(new Error('connection reset'))),
    )
    expect(await ask()).toEqual({ type: 'no_answer' })
    traffic.route(LABEL, undefined)
    expect([await ask(), await restartsOf()]).toEqual([{ type: 'not_running' }, { app_3: { isServed: true } }])
    hosting.end()
  })

  it('and that was not live before is judged from its first deploy on', async () => {
    const hosting = traffic.host(LABEL, undefined)
    expect([await ask(), await restartsOf()]).toEqual([{ type: 'not_running' }, {}])
    hosting.end()
  })

  it('is restarting for a request that this process cuts off by its own stop', async () => {
    const hosting = traffic.host(LABEL, new Date(0))
    traffic.route(
      LABEL,
      instance(async () => {
        hosting.end()
        throw new Error('connection reset')
      }),
    )
    expect(await ask()).toEqual({ type: 'restarting' })
    traffic.route(LABEL, undefined)
  })

  it('is restarting while no process hosts it, for two minutes from the first look', async () => {
    const looking = probe()
    expect(await ask(looking)).toEqual({ type: 'restarting' })
    for (let seconds = 15; seconds < 120; seconds += 15) {
      clock.advance(15_000)
      expect(await ask(looking)).toEqual({ type: 'restarting' })
    }
    clock.advance(15_000)
    expect(await ask(looking)).toEqual({ type: 'not_running' })
    clock.advance(60_000)
    expect(await ask(looking)).toEqual({ type: 'restarting' })
  })
})
