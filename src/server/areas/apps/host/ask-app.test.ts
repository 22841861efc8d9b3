import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { releaseLease, takeLease } from '#lib/work/lease.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { createAppProbe } from './ask-app.ts'
import { createAppTraffic } from './traffic.ts'

let opened: TestDatabase
const traffic = createAppTraffic()
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
const probe = () => createAppProbe({ db: opened.db, traffic, urlOf: (label) => `https://${label}.apps.test` })
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
