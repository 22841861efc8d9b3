import { request as send } from 'node:http'
import { text } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, deleteApp, listApps, readApp } from '#contract/apps/apps.ts'
import { type Deploy, followDeploy, rollBack, startDeploy } from '#contract/apps/deploys.ts'
import { changeEnvironment } from '#contract/apps/environment.ts'
import { searchLogs, tailLogs } from '#contract/apps/logs.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import { readSeries } from '#contract/apps/series.ts'
import { createCheck, readCheckRun, runCheck } from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { sql } from '#lib/db/sql.ts'
import { appPortOf } from '#test/door/app-port.ts'
import { type Mode, type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const SERVER = (answer: string) => `
  import { createServer } from 'node:http'
  createServer((request, response) => {
    console.log('asked for ' + request.url)
    if (request.url === '/headers') return response.end(JSON.stringify(request.headers))
    response.end(${JSON.stringify(answer)} + (process.env.SUFFIX ?? ''))
  }).listen(Number(process.env.PORT), '127.0.0.1')`

const APART = { SVC_APPS_DOMAIN: 'apps.test' }

describe.each<[Mode, Record<string, string>, string]>([
  ['together', {}, 'http'],
  ['apart', APART, 'https'],
])('MA-15 an app, services %s', (mode, env, protocol) => {
  let system: System
  let client: Client
  let url: string
  let first: Deploy

  beforeAll(async () => {
    system = await startSystem({ mode, env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true', ...env } })
    client = system.client((await system.member('developer')).token)
    const app = await client.call(createApp, {
      alias: 'shop',
      settings: { start_command: 'node server.mjs', health_path: '/up' },
    })
    url = app.url!
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('is deployed, live and answers at its own address', async () => {
    expect((await ask('/')).status).toBe(503)
    first = await deploy({ 'server.mjs': SERVER('one') })
    expect(first).toMatchObject({ state: 'live', failure_code: null })
    expect(await ask('/')).toEqual({ status: 200, body: 'one' })
    const live_deploy = { id: first.id, revision_message: 'Sell shoes' }
    expect(await client.call(readApp, { alias: 'shop' })).toMatchObject({ live_deploy })
  })

  it('sees no session of svc, and knows its client', async () => {
    const { body } = await ask('/headers', { cookie: 'svc_session=secret; mine=1', 'x-forwarded-for': '6.6.6.6' })
    const headers = JSON.parse(body) as Record<string, string>
    expect(headers).toMatchObject({ cookie: 'mine=1', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': protocol })
    expect(body).not.toContain('x-svc-')
  })

  it('is asked by its checks at its own address, also if the worker is another process', async () => {
    const check = 'Headers'
    const definition = { kind: 'http' as const, target: '/headers', contains: '"x-forwarded-host":"shop--' }
    await client.call(createCheck, { alias: 'shop', name: check, definition, schedule: { cron: '0 0 1 1 *' } })
    const { id } = await client.call(runCheck, { alias: 'shop', check })
    const run = await until(async () => {
      const now = await client.call(readCheckRun, { alias: 'shop', check, run_id: id })
      return now.state === 'ended' && now
    })
    expect(run).toMatchObject({ verdict: 'pass', detail: 'The app answered 200.' })
  })

  it('AP-01 refuses a WebSocket of no version, and every other upgrade', async () => {
    expect((await ask('/', { connection: 'upgrade', upgrade: 'websocket' })).status).toBe(426)
    expect((await ask('/', { connection: 'upgrade', upgrade: 'h2c' })).status).toBe(501)
  })

  it('serves nothing of svc at the address of an app', async () => {
    expect((await ask('/api/v1/me', {}, new URL(url).host.replace('shop', 'other'))).status).toBe(404)
    expect((await ask('/healthz', {}, new URL(url).host.replace('shop', 'other'))).status).toBe(404)
  })

  it('NO-02 a broken deploy leaves the former revision answering every request, and is reported once', async () => {
    const asked = askAgainAndAgain()
    const broken = await deploy({ 'server.mjs': 'process.exit(3)' })
    expect(await asked.stop()).toEqual(['200 one'])
    expect(broken).toMatchObject({ state: 'failed', failure_code: 'START_FAILED' })
    expect(broken.failure_detail).toContain('exit code 3')
    expect(await eventsOf(broken.id)).toEqual(['START_FAILED'])
    await expect(client.call(rollBack, { alias: 'shop' })).rejects.toMatchObject({
      code: 'NOTHING_TO_ROLL_BACK',
      message: `The deploy ${broken.id} failed and never became live. Revision ${first.revision_id} is still serving, and no other was live before it, so there is nothing to roll back to. Name a revision to deploy it.`,
    })
  })

  it('NO-03 a new revision takes over without a lost request or an event, and a rollback returns to the former', async () => {
    const asked = askAgainAndAgain()
    const second = await deploy({ 'server.mjs': SERVER('two') })
    expect(second.state).toBe('live')
    await until(() => asked.last() === '200 two')
    expect(await asked.stop()).toEqual(['200 one', '200 two'])
    const back = await followed(await client.call(rollBack, { alias: 'shop' }))
    expect(back).toMatchObject({ state: 'live', kind: 'rollback', revision_id: first.revision_id })
    expect(await ask('/')).toEqual({ status: 200, body: 'one' })
    expect(await eventsOf(second.id)).toEqual([])
  })

  it('AP-02 has its requests and its memory counted, and its deploys named', async () => {
    const count = async () => {
      const { items } = await client.call(readSeries, { alias: 'shop' })
      return items.reduce((sum, { requests }) => sum + (requests ?? 0), 0)
    }
    const before = await until(count)
    await ask('/')
    await until(async () => (await count()) > before)
    const { items, deploys } = await client.call(readSeries, { alias: 'shop' })
    expect(items.some(({ memory_bytes }) => memory_bytes !== null && memory_bytes > 1e6)).toBe(true)
    expect(deploys[0]).toMatchObject({ id: first.id, message: 'Sell shoes' })
  })

  it('gets its variables with the next deploy', async () => {
    await client.call(changeEnvironment, { alias: 'shop', set: { SUFFIX: '!' } })
    await followed(await client.call(startDeploy, { alias: 'shop', revision_id: first.revision_id }))
    expect(await ask('/')).toEqual({ status: 200, body: 'one!' })
  })

  it('has its lines in the log, where they can be searched and followed', async () => {
    await ask('/looked-for')
    const found = await until(async () => {
      const { items } = await client.call(searchLogs, { alias: 'shop', text: 'looked-for' })
      return items[0]
    })
    expect(found).toMatchObject({ text: 'asked for /looked-for', source: 'app', level: 'info' })
    for await (const event of client.stream(tailLogs, {
      alias: 'shop',
      lines: 0,
      last_id: String(Number(found.id) - 1),
    })) {
      expect(event).toMatchObject({ type: 'line', text: 'asked for /looked-for' })
      break
    }
  })

  it('is stopped and gone after it was deleted', async () => {
    const admin = system.client((await system.member('admin', (await me()).org_id)).token)
    await admin.call(deleteApp, { alias: 'shop', confirm: 'shop' })
    await until(async () => (await client.call(listApps, {})).items.length === 0)
    expect((await ask('/')).status).toBe(404)
  })

  const me = async () => {
    const [row] = await system.db.query<{ org_id: string }>(sql`select org_id from apps.apps where alias = 'shop'`)
    return row!
  }

  async function deploy(files: Record<string, string>): Promise<Deploy> {
    const archive = pack()
    for (const [name, content] of Object.entries(files)) archive.entry({ name }, content)
    archive.finalize()
    const { id } = await client.upload(uploadRevision, { alias: 'shop', message: 'Sell shoes' }, archive)
    return followed(await client.call(startDeploy, { alias: 'shop', revision_id: id }))
  }

  async function followed(started: Deploy): Promise<Deploy> {
    let last = started
    for await (const event of client.stream(followDeploy, { alias: 'shop', deploy_id: started.id })) {
      if (event.type === 'state') last = event.deploy
    }
    return last
  }

  /** Asks one request after another until it is stopped, and returns the different answers in their order. */
  function askAgainAndAgain() {
    const answers: string[] = []
    const stopping = new AbortController()
    const asking = (async () => {
      while (!stopping.signal.aborted) {
        const { status, body } = await ask('/')
        if (answers.at(-1) !== `${status} ${body}`) answers.push(`${status} ${body}`)
      }
    })()
    return {
      last: () => answers.at(-1),
      stop: async () => {
        stopping.abort()
        await asking
        return answers
      },
    }
  }

  /** `*.localhost` need not resolve on every machine, so the name travels in the Host header. */
  async function ask(path: string, headers: Record<string, string> = {}, host = new URL(url).host) {
    const port = await appPortOf(system.url, host)
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const request = send({ host: '127.0.0.1', port, path, headers: { host, ...headers } }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
      })
      request.on('error', reject)
      request.end()
    })
  }

  async function eventsOf(deployId: string): Promise<string[]> {
    const rows = await system.db.query<{ status: string }>(sql`
      select body->>'status' as status from svc.outbox where body->>'deployment_id' = ${deployId}
      union all
      select body->>'status' from notifications.events where body->>'deployment_id' = ${deployId}`)
    return rows.map(({ status }) => status)
  }
})
