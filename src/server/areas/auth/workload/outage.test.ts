import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Querier } from '#lib/db/db.ts'
import { createLog } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { systemClock } from '#lib/time/clock.ts'
import { startFakeKubernetes } from '#test/kubernetes/fake-kubernetes.ts'
import { annotations, DOWN, REFUSED, type Scene, startScene } from '#test/kubernetes/workload.ts'
import { startSystem } from '#test/system.ts'
import { createWorkloadValidator } from './validate.ts'

describe('a cluster that does not answer or refuses our own credentials', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterEach(() => {
    scene.cluster.fault = undefined
  })
  afterAll(() => scene?.[Symbol.asyncDispose]())

  const fresh = () => scene.validate(scene.cluster.token(scene.account))
  const metric = async (reason: string) => {
    const text = await (await fetch(`${scene.system.url}/metrics`)).text()
    return Number(text.split(`svc_workload_review_faults_total{reason="${reason}"} `)[1]?.split('\n')[0] ?? 0)
  }

  it.each([500, 503, 429, 401, 302])(
    'AU-15 an API server that answers %d is a 503 with Retry-After and is counted',
    async (fault) => {
      const before = await metric('api-server')
      scene.cluster.fault = fault
      expect(await fresh()).toMatchObject(DOWN)
      expect(await metric('api-server')).toBe(before + 1)
    },
  )

  it.each(['tokenreviews', 'serviceaccounts'] as const)(
    'AU-15 without the permission on %s the answer is the usual 401, and log and metric name auth-service.rbac.create',
    async (rule) => {
      const [logged, counted] = [scene.system.logs.length, await metric('auth-service.rbac.create')]
      scene.cluster.rbac[rule] = false
      expect(await fresh()).toEqual(REFUSED)
      const lines = scene.system.logs.slice(logged).map((line) => JSON.parse(line) as Record<string, unknown>)
      expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
        {
          path: expect.stringContaining(rule),
          msg: 'workload tokens are refused: we lack permissions, set auth-service.rbac.create=true',
        },
      ])
      expect(await metric('auth-service.rbac.create')).toBe(counted + 1)
      scene.cluster.rbac[rule] = true
      expect((await fresh()).status).toBe(200)
    },
  )

  it('AU-15 our own token and the certificate authority are read again after the cluster replaces them', async () => {
    const { cluster } = scene
    for (const rotate of [() => cluster.rotateReviewerToken(), () => cluster.rotateCertificate()]) {
      rotate()
      expect(await fresh()).toMatchObject(DOWN)
      cluster.writeCredentials()
      expect((await fresh()).status).toBe(200)
    }
  })

  it('AU-15 a pod without credentials answers 503, not a refusal', async () => {
    rmSync(join(scene.cluster.credentialsDir, 'token'))
    expect(await fresh()).toMatchObject(DOWN)
    scene.cluster.writeCredentials()
    expect((await fresh()).status).toBe(200)
  })

  it('AU-15 neither the caller’s token nor our own is ever logged', async () => {
    const { cluster, account, validate, system } = scene
    const token = cluster.token(account)
    for (const fault of [401, 403, 500, undefined]) {
      cluster.fault = fault
      await validate(token)
      await validate(`${token}x`)
    }
    const logged = system.logs.join('\n')
    expect(logged).toContain('the API server answered 500')
    for (const secret of [...token.split('.').slice(1), cluster.reviewerToken()]) expect(logged).not.toContain(secret)
  })

  it('AU-15 without an API server the answer is 503, and a cached review stays valid until it expires', async () => {
    const { cluster, account, validate } = scene
    const [cached, uncached] = [cluster.token(account), cluster.token(account)]
    await validate(cached)
    await cluster.stop()
    expect(await validate(uncached)).toMatchObject(DOWN)
    expect((await validate(cached)).status).toBe(200)
  })
})

it('AU-15 an API server that does not answer in time is UNAVAILABLE and is counted', async () => {
  await using cluster = await startFakeKubernetes()
  cluster.fault = 'silent'
  const metrics = createMetrics({ processMetrics: false })
  const db: Querier = { query: () => Promise.reject(new Error('the database is asked last')) }
  const { url: apiServer, credentialsDir } = cluster
  const validate = createWorkloadValidator(
    { db, clock: systemClock, log: createLog('silent'), metrics },
    { audience: 'svc-control-plane', apiServer, credentialsDir, timeoutMs: 50 },
  )
  const refusal = { code: 'UNAVAILABLE', retryAfterSeconds: 5, cause: { name: 'TimeoutError' } }
  await expect(validate(cluster.token(cluster.serviceAccount('a', 'b')), '203.0.113.1')).rejects.toMatchObject(refusal)
  expect(await metrics.registry.metrics()).toContain('svc_workload_review_faults_total{reason="api-server"} 1\n')
})

it('AU-15 with services in separate processes a workload is recognized, and an outage answers with Retry-After', async () => {
  await using cluster = await startFakeKubernetes()
  await using system = await startSystem({ mode: 'apart', env: cluster.env })
  const { org_id } = await system.member()
  const account = cluster.serviceAccount('a', 'b', annotations(org_id))
  const ask = () => fetch(`${system.url}/api/v1/me`, { headers: { authorization: `Bearer ${cluster.token(account)}` } })
  const good = await ask()
  expect([good.status, await good.json()]).toMatchObject([200, { kind: 'workload', org: { id: org_id } }])
  cluster.fault = 503
  const down = await ask()
  expect([down.status, down.headers.get('retry-after')]).toEqual([503, '5'])
})
