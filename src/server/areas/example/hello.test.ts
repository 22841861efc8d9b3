import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeApp, createApp, readApp } from '#contract/apps/apps.ts'
import { listDeploys } from '#contract/apps/deploys.ts'
import { readEnvironment } from '#contract/apps/environment.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import { listAppPeople } from '#contract/apps/people.ts'
import { listRevisions } from '#contract/apps/revisions.ts'
import { listMembers } from '#contract/auth/members.ts'
import { listChecks } from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { callFunction, listFunctions } from '#contract/functions.ts'
import { changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { listPipelines, readPipelineRun, readPipelineRunLog, runPipeline } from '#contract/pipelines.ts'
import { listTickets } from '#contract/tickets.ts'
import { sql } from '#lib/db/sql.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { assets } from '../../files/assets.ts'
import { createExample, EXAMPLE_APP } from './index.ts'

const alias = 'hello'

class Killed extends Error {}

/** Counts calls of the API, and throws after the effect of the last one, as a process killed there would end. */
class Fuse {
  left = 0
  readonly wrap = (client: Client): Client => ({
    call: (...args) => this.#burn(client.call(...args)),
    upload: (...args) => this.#burn(client.upload(...args)),
    stream: (...args) => client.stream(...args),
  })
  async #burn<T>(work: Promise<T>): Promise<T> {
    const result = await work
    if (--this.left < 0) throw new Killed()
    return result
  }
}

describe('OP-01 the example app', () => {
  let system: System
  let owner: Awaited<ReturnType<System['member']>>
  let client: Client
  let make: () => Promise<void>
  let kills = 0

  const accountOf = ({ token }: Awaited<ReturnType<System['member']>>) => ({ api_key: token })

  beforeAll(async () => {
    system = await startSystem({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
    owner = await system.member('owner')
    client = system.client(owner.token)
    const fuse = new Fuse()
    const account = accountOf(owner)
    const clientOf = (token: string) => {
      // The system searches its database and logs for these when it stops.
      system.secrets.push(token)
      return fuse.wrap(system.client(token))
    }
    const makeUntil = (calls: number) => {
      fuse.left = calls
      return createExample({ clientOf, account }).makeApp(assets.exampleApp())
    }
    make = () => makeUntil(Number.POSITIVE_INFINITY)
    // Killed after every call in turn, and continued each time by the next start.
    while (await makeUntil(kills).then(() => false, expectKilled)) kills++
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('is there once, however often a start was killed while it was made', async () => {
    expect(kills).toBeGreaterThan(3)
    const exampleParts = await readAll()
    expect(exampleParts).toMatchObject({
      revisions: [{ message: 'The example app' }],
      deploys: [{ state: 'live' }],
      checks: [{ name: 'Front page' }],
      tickets: [{ title: 'The total of the orders is missing', status: 'open' }],
      variables: [],
    })
    await make()
    expect(await readAll()).toEqual(exampleParts)
  })

  it('AU-15 has no token of a person, and no member is made for it', async () => {
    const { items: members } = await client.call(listMembers, { org_id: owner.org_id })
    expect(members.map(({ user_id }) => user_id)).toEqual([owner.user_id])
    const tokens = await system.db.query(sql`select id from auth.api_tokens where org_id = ${owner.org_id}`)
    // The one with which the test calls.
    expect(tokens).toHaveLength(1)
  })

  it('OP-09 runs without a sandbox too: the host adds no variable that the example may not have', () => {
    expect(EXAMPLE_APP.variables).toContain('SVC_APP')
  })

  it('AU-15 serves its function from inside its sandbox with its own token', async () => {
    await until(async () => {
      const { items } = await client.call(listFunctions, { alias })
      return items.some(({ name, connected }) => name === 'greet' && connected)
    })
    const call = (sent: object) => client.call(callFunction, { alias, name: 'greet', arguments: sent as never })
    expect((await call({ name: 'Ada' })).result).toEqual({ text: 'Hello, Ada' })
    await expect(call({ name: 7 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('serves its pipeline, which runs by hand only, so that a machine that sleeps at night raises no event', async () => {
    const { items } = await client.call(listPipelines, { alias })
    expect(items).toMatchObject([{ name: 'count-requests', schedule: null }])
    const { id: run_id } = await client.call(runPipeline, { alias, name: 'count-requests' })
    const which = { alias, name: 'count-requests', run_id }
    const ended = await until(async () => {
      const run = await client.call(readPipelineRun, which)
      return run.ended_at !== null && run
    })
    expect(ended).toMatchObject({ state: 'succeeded' })
    const { lines } = await client.call(readPipelineRunLog, which)
    expect(lines.map(({ text }) => text)).toEqual([expect.stringMatching(/^requests since the start: \d+$/)])
  })

  it('passes its check, and logs no other error than the planted fault', async () => {
    await until(async () => (await client.call(listChecks, { alias })).items[0]?.state === 'pass')
    const fault = await until(async () => {
      const { items } = await client.call(searchLogs, { alias, text: 'orders.js' })
      return items[0]
    })
    expect(fault).toMatchObject({ level: 'error', text: expect.stringContaining("reading 'price'") })
    const { items } = await client.call(searchLogs, { alias, level: 'error' })
    expect(items.filter(({ text }) => !text.includes('orders.js'))).toEqual([])
  })

  needs('bubblewrap')('in its sandbox, where its code has the paths of its revision', () => {
    it('MA-12 has a fault that the maintenance agent records without a model, once somebody switched it on', async () => {
      const env = { SVC_API_URL: system.url, SVC_API_KEY: owner.token }
      const svc = (...args: string[]) => runSvc(['apps', 'maintenance', ...args], { env })
      expect(await svc('run', alias, '--follow')).toMatchObject({ exit: 4 })
      const settings = { org_id: owner.org_id, enabled: true, model: 'builtin/detectors' }
      await client.call(changeOrgMaintenance, settings)
      expect(await svc('run', alias, '--follow')).toMatchObject({ exit: 6 })
      expect(await svc('enable', alias, '--yes')).toMatchObject({ exit: 0 })
      expect(await svc('run', alias, '--follow')).toMatchObject({
        exit: 11,
        stdout: expect.stringMatching(/^Finding recorded \(finding_recorded\)\.\nAn error in orders\.js/),
      })
    })
  })

  it('is deployed again after a deploy that failed, and has no check before it is live', async () => {
    const other = await system.member('owner')
    const as = system.client(other.token)
    const example = createExample({ clientOf: (token) => system.client(token), account: accountOf(other) })
    await as.call(createApp, { alias, settings: { start_command: 'exit 3', health_path: '/healthz' } })
    await expect(example.makeApp(assets.exampleApp())).rejects.toThrow('The deploy of hello failed.')
    expect((await as.call(listChecks, { alias })).items).toEqual([])
    await as.call(changeApp, { alias, settings: { start_command: 'node server.js', health_path: '/healthz' } })
    await example.makeApp(assets.exampleApp())
    const { items } = await as.call(listDeploys, { alias })
    expect(items.map(({ state }) => state)).toEqual(['live', 'failed'])
    expect((await as.call(listChecks, { alias })).items).toHaveLength(1)
  })

  async function readAll() {
    const app = { alias }
    const checks = (await client.call(listChecks, app)).items.map(({ id, name }) => ({ id, name }))
    return {
      id: (await client.call(readApp, app)).id,
      revisions: (await client.call(listRevisions, app)).items,
      deploys: (await client.call(listDeploys, app)).items,
      checks,
      tickets: (await client.call(listTickets, app)).items,
      variables: (await client.call(readEnvironment, app)).items,
      people: (await client.call(listAppPeople, app)).items,
      tokens: await system.db.query(sql`select * from auth.api_tokens where org_id = ${owner.org_id} order by id`),
    }
  }
})

function expectKilled(error: unknown): boolean {
  if (!(error instanceof Killed)) throw error
  return true
}
