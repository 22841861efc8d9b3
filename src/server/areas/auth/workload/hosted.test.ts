import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, deleteApp } from '#contract/apps/apps.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import { me } from '#contract/auth/members.ts'
import { createWorkloadSigner, type HostedWorkload } from '#edge/credentials/workload-token.ts'
import { createHmacSha256 } from '#lib/crypto/hmac.ts'
import { signHs256 } from '#lib/crypto/hs256.ts'
import { deriveKey } from '#lib/crypto/keys.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { makeLive, makeLiveApp } from '#test/apps/live-app.ts'
import { REFUSED } from '#test/kubernetes/workload.ts'
import { type Mode, type System, startSystem } from '#test/system.ts'

const AUDIENCE = 'svc-control-plane'

/** A system with an app `shop` that is live. */
async function startScene(mode: Mode = 'together', env = {}) {
  // A minute of its own: tests on a real Redis share the windows in which failures are counted.
  const clock = testClock(new Date(Date.UTC(2026, 0, 1) + randomInt(500_000) * 60_000))
  const system = await startSystem({ mode, clock, env })
  const owner = await system.member('owner')
  const app = await makeLiveApp(system, owner, { alias: 'shop', files: { 'server.js': '' } })
  const workload: HostedWorkload = { orgId: owner.org_id, appId: app.id, deployId: await liveDeployOf(system, app.id) }
  const { internalSecret } = system.config.secrets
  const signerOf = (audience: string, secret = internalSecret) =>
    createWorkloadSigner({ internalSecret: secret, audience, clock })
  const sign = signerOf(AUDIENCE)
  return { clock, system, owner, app, workload, sign, signerOf, internalSecret }
}

async function liveDeployOf({ db }: System, appId: string): Promise<string> {
  const [row] = await db.query<{ id: string }>(sql`
    select id from apps.deploys where app_id = ${appId} and state = 'live'`)
  return row!.id
}

async function validate({ url }: System, token: string) {
  const response = await fetch(`${url}/api/v1/tokens/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
}

describe.each<Mode>(['together', 'apart'])('the token of an app that svc runs, with services %s', (mode) => {
  let scene: Awaited<ReturnType<typeof startScene>>
  beforeAll(async () => {
    scene = await startScene(mode)
  })
  afterAll(() => scene?.system[Symbol.asyncDispose]())

  it('AU-15 resolves to the workload of its app, without a role and a person', async () => {
    const { system, clock, workload, sign } = scene
    // Services in processes of their own do not share the clock of the test.
    const now = mode === 'together' ? clock.now() : new Date()
    clock.set(new Date(Math.floor(now.getTime() / 1000) * 1000))
    expect(await validate(system, sign(workload))).toEqual({
      status: 200,
      retryAfter: null,
      body: {
        principal: {
          kind: 'workload',
          id: workload.deployId,
          user_id: null,
          org_id: workload.orgId,
          role: null,
          scopes: [],
          deployment: workload.appId,
          expires_at: new Date(clock.now().getTime() + 600_000).toISOString(),
        },
      },
    })
  })

  it('AU-15 may do what a workload may: its own app as a worker, and nothing that is for people', async () => {
    const { system, workload, sign } = scene
    const client = system.client(sign(workload))
    expect(await client.call(me, {})).toMatchObject({ kind: 'workload', user: null, org: { id: workload.orgId } })
    const forPeople = { code: 'FORBIDDEN', message: 'Callers of kind workload may not use this operation.' }
    await expect(client.call(searchLogs, { alias: 'shop' })).rejects.toMatchObject(forPeople)
    expect(await sendLog(system, sign(workload), 'shop')).toBe(200)
    await system.client(scene.owner.token).call(createApp, { alias: `blog-${mode}` })
    expect(await sendLog(system, sign(workload), `blog-${mode}`)).toBe(403)
  })
})

async function sendLog({ url }: System, token: string, alias: string): Promise<number> {
  const response = await fetch(`${url}/api/deploy/deployments/${alias}/logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: '{"text":"hello"}\n',
  })
  await response.body?.cancel()
  return response.status
}

describe('the token of an app that svc runs is refused', () => {
  let scene: Awaited<ReturnType<typeof startScene>>
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene?.system[Symbol.asyncDispose]())

  it('AU-15 when it has expired', async () => {
    const { system, clock, workload, sign } = scene
    const token = sign(workload)
    clock.advance(599_000)
    expect(await validate(system, token)).toMatchObject({ status: 200 })
    clock.advance(1_000)
    expect(await validate(system, token)).toEqual(REFUSED)
  })

  it('AU-15 whatever is wrong with it, with the same answer', async () => {
    const { system, clock, workload, sign, signerOf, internalSecret } = scene
    const other = await system.member('owner')
    const otherApp = await makeLiveApp(system, other, { alias: 'shop', files: { 'server.js': '' } })
    const good = sign(workload)
    const [head, , signature] = good.split('.')
    const iat = Math.floor(clock.now().getTime() / 1000)
    const claims = {
      iss: 'worker',
      aud: AUDIENCE,
      iat,
      sub: workload.deployId,
      app: workload.appId,
      org: workload.orgId,
    }
    const hmac = createHmacSha256(deriveKey(Buffer.from(internalSecret, 'hex'), 'workload-token'))
    const stolen = Buffer.from(JSON.stringify({ ...claims, exp: iat + 600, org: other.org_id })).toString('base64url')
    const tokens = {
      'another audience': signerOf('other')(workload),
      'signed by another installation': signerOf(AUDIENCE, 'f'.repeat(64))(workload),
      'changed claims': `${head}.${stolen}.${signature}`,
      'no signature': good.slice(0, good.lastIndexOf('.') + 1),
      'another app': sign({ ...workload, appId: otherApp.id }),
      'another organization': sign({ ...workload, orgId: other.org_id }),
      'an unknown deploy': sign({ ...workload, deployId: 'dep_none' }),
      'a key of another purpose': signHs256(
        { ...claims, exp: iat + 600 },
        'workload+jwt',
        createHmacSha256(deriveKey(Buffer.from(internalSecret, 'hex'), 'maintenance-run')),
      ),
      'a longer life': signHs256({ ...claims, exp: iat + 601 }, 'workload+jwt', hmac),
      'another type': signHs256({ ...claims, exp: iat + 600 }, 'JWT', hmac),
      'no app': signHs256({ ...claims, exp: iat + 600, app: undefined }, 'workload+jwt', hmac),
    }
    for (const [name, token] of Object.entries(tokens))
      expect([name, await validate(system, token)]).toEqual([name, REFUSED])
    expect(await validate(system, good)).toMatchObject({ status: 200 })
  })

  it.each(['queued', 'building', 'failed', 'superseded'])('AU-15 while its deploy is %s', async (state) => {
    const { system, workload, sign } = scene
    const set = (to: string) =>
      system.db.query(sql`
        update apps.deploys set state = ${to}, failure_code = ${to === 'failed' ? 'CRASHED' : null}
        where id = ${workload.deployId}`)
    await set(state)
    expect(await validate(system, sign(workload))).toEqual(REFUSED)
    await set('starting')
    expect(await validate(system, sign(workload))).toMatchObject({ status: 200 })
    await set('live')
  })

  it('AU-15 a minute after another deploy took its place', async () => {
    const { system, clock, app, sign } = scene
    const former = { ...scene.workload, deployId: await liveDeployOf(system, app.id) }
    await makeLive(system, app)
    await system.db.query(sql`update apps.deploys set ended_at = ${clock.now()} where id = ${former.deployId}`)
    clock.advance(59_000)
    expect(await validate(system, sign(former))).toMatchObject({ status: 200 })
    clock.advance(1_000)
    expect(await validate(system, sign(former))).toEqual(REFUSED)
    const current = { ...former, deployId: await liveDeployOf(system, app.id) }
    expect(await validate(system, sign(current))).toMatchObject({ status: 200 })
  })

  it('AU-15 from the moment its app is deleted', async () => {
    const { system, owner, app, workload, sign } = scene
    const current = { ...workload, deployId: await liveDeployOf(system, app.id) }
    await system.client(owner.token).call(deleteApp, { alias: app.alias, confirm: app.alias })
    expect(await validate(system, sign(current))).toEqual(REFUSED)
  })
})

it('AU-15 is refused where the operator switched workload identity off', async () => {
  const { system, workload, sign } = await startScene('together', { WORKLOAD_IDENTITY_ENABLED: 'false' })
  await using _ = system
  expect(await validate(system, sign(workload))).toEqual(REFUSED)
})
