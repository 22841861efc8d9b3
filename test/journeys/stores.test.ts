import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { listMembers } from '#contract/auth/members.ts'
import { createClient } from '#contract/core/client.ts'
import { openTestDatabase } from '#test/database.ts'
import { needs, stores } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { readSettings, toConfig } from '../../src/server/config/config.ts'
import { openResources } from '../../src/server/process/resources.ts'
import { startServices } from '../../src/server/process/start.ts'

type Environment = ReturnType<typeof testEnvironment>

/** A start with the stores that the configuration names; nothing is put in their place. */
async function start(env: Environment) {
  const stack = new AsyncDisposableStack()
  const config = toConfig(readSettings({ ...env, SVC_LOG_LEVEL: 'silent', SVC_TRUSTED_PROXIES: '127.0.0.1' }))
  const resources = await openResources(config, stack)
  const { url } = await startServices(resources, stack, { ...config, urlOf: (name) => config.urls[name] })
  const client = (token: string) =>
    createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
  const guess = async (address: string) => {
    const headers = { authorization: 'Bearer svc_guess', 'x-forwarded-for': address }
    return (await fetch(`${url}/api/v1/me`, { headers })).status
  }
  const dependencies = async () => {
    const body = (await (await fetch(`${url}/readyz`)).json()) as { dependencies: Record<string, { status: string }> }
    return Object.fromEntries(Object.entries(body.dependencies).map(([name, { status }]) => [name, status]))
  }
  const operator = client(config.secrets.operatorToken!)
  return {
    kind: resources.kv.kind,
    client,
    operator,
    guess,
    dependencies,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

type Running = Awaited<ReturnType<typeof start>>

async function newMember({ operator }: Running) {
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Stores' })
  const email = 'owner@stores.example'
  const { token } = await operator.call(adminCreateToken, { org_id, email, role: 'owner', name: 'stores' })
  const members = async (running: Running) =>
    (await running.client(token).call(listMembers, { org_id })).items.map((member) => member.email)
  return { members }
}

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stores-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('AU-17 on one machine, with neither DATABASE_URL nor REDIS_URL', () => {
  let env: Environment
  let running: Running
  let members: (running: Running) => Promise<string[]>
  beforeAll(async () => {
    const { REDIS_URL: _, DATABASE_URL: __, ...own } = testEnvironment(undefined, newFolder())
    env = own
    running = await start(env)
    ;({ members } = await newMember(running))
  })
  afterAll(() => running?.[Symbol.asyncDispose]())

  it('there is a database and a key-value store all the same', async () => {
    expect(running.kind).toBe('memory')
    expect(await running.dependencies()).toMatchObject({ database: 'ok', 'key-value store': 'ok' })
    expect(await members(running)).toEqual(['owner@stores.example'])
    const statuses = new Set<number>()
    while (!statuses.has(429)) statuses.add(await running.guess('203.0.113.1'))
    expect(statuses).toEqual(new Set([401, 429]))
  })

  describe('after a restart', () => {
    beforeAll(async () => {
      await running[Symbol.asyncDispose]()
      running = await start(env)
    })

    it('people and tokens are there, for they live in the data folder; counters start anew', async () => {
      expect(await members(running)).toEqual(['owner@stores.example'])
      expect(await running.guess('203.0.113.1')).toBe(401)
    })
  })
})

needs('postgres', 'redis')('AU-17 in a cluster, with DATABASE_URL and REDIS_URL', () => {
  const stack = new AsyncDisposableStack()
  let one: Running
  let two: Running
  beforeAll(async () => {
    const database = stack.use(await openTestDatabase())
    const env = { ...testEnvironment(database.url, newFolder()), REDIS_URL: `${stores.redis}/7` }
    one = stack.use(await start(env))
    two = stack.use(await start({ ...env, SVC_DATA_DIR: newFolder() }))
  })
  afterAll(() => stack.disposeAsync())

  it('two replicas share people and tokens in Postgres', async () => {
    const { members } = await newMember(one)
    expect(await members(two)).toEqual(['owner@stores.example'])
  })

  it('two replicas share counters in Redis', async () => {
    expect([one.kind, two.kind]).toEqual(['redis', 'redis'])
    expect(await two.dependencies()).toMatchObject({ database: 'ok', 'key-value store': 'ok' })
    const address = `2001:db8:${randomInt(65_536).toString(16)}::1`
    // Turn by turn: each alone would have been asked half as often when the limit is reached.
    let asked = 0
    while ((await (asked % 2 === 0 ? one : two).guess(address)) === 401) asked += 1
    expect(asked).toBeGreaterThanOrEqual(60)
    expect(asked).toBeLessThan(120)
  })
})
