import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { askHttp } from '#test/agents/askers.ts'
import { openTestDatabase } from '#test/database.ts'
import { startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { startPausableRelay } from '#test/outside/pausable-relay.ts'
import { startProcess } from '#test/programs/processes.ts'
import { makeAskable } from '#test/sources/sources.ts'
import { needs, stores } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import { countQuestions } from '../../src/server/areas/activity/quota-store.ts'

needs('postgres', 'redis')('AU-17 DS-18 a server whose Redis is paused', () => {
  it('answers every question without waiting for it, holds the quota of the day, and uses it again later', async () => {
    await using stack = new AsyncDisposableStack()
    const database = stack.use(await openTestDatabase())
    const fake = stack.use(await startFakeEmbeddings())
    const { hostname, port } = new URL(stores.redis!)
    const relay = stack.use(await startPausableRelay({ host: hostname, port: Number(port) }))
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-redis-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const env = testEnvironment(database.url, dataDir)
    const { pathname } = new URL(env.REDIS_URL!)
    const server = stack.use(
      await startProcess({
        ...env,
        REDIS_URL: `redis://127.0.0.1:${relay.port}${pathname}`,
        SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]),
        SVC_QUESTIONS_PER_DAY: '45',
      }),
    )
    const clientOf = (token: string) =>
      createClient({ baseUrl: server.url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
    const operator = clientOf(env.SVC_OPERATOR_TOKEN!)
    const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Paused' })
    const tokenInput = { org_id, email: 'a@example.com', role: 'admin', name: 'test' } as const
    const { token } = await operator.call(adminCreateToken, tokenInput)
    await makeAskable(clientOf(token), 'docs')
    const ask = async () => (await askHttp(server.url, token, { query: 'cars' }, 'db_docs')).status
    expect(await ask()).toBe(200)

    relay.pause()
    // Each of these took 8 seconds once: together far longer than a test may run.
    const statuses: number[] = []
    for (let n = 0; n < 40; n += 1) statuses.push(await ask())
    expect(statuses).toEqual(Array(40).fill(200))
    const degraded = (await (await fetch(`${server.url}/readyz`)).json()) as Readiness
    expect([degraded.status, degraded.dependencies['key-value store']!.status]).toEqual(['ready', 'degraded'])

    relay.resume()
    await until(
      async () =>
        ((await (await fetch(`${server.url}/readyz`)).json()) as Readiness).dependencies['key-value store']!.status ===
        'ok',
    )
    // Records are written up to half a second after their answer.
    const day = { from: new Date(Date.now() - 3_600_000), before: new Date(Date.now() + 3_600_000) }
    await until(async () => (await countQuestions(database.db, org_id, { ...day, now: new Date() })) === 41)
    const rest = await Promise.all(Array.from({ length: 10 }, ask))
    expect(rest.sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 429, 429, 429, 429, 429, 429])
    expect(server.output.join('\n')).toContain(
      'Redis does not answer: until it does, each process counts limits separately',
    )
  })
})

type Readiness = { status: string; dependencies: Record<string, { status: string }> }
