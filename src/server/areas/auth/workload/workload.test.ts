import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createOrg } from '#contract/auth/auth.ts'
import { me } from '#contract/auth/members.ts'
import { sql } from '#lib/db/sql.ts'
import { API_AUDIENCE } from '#test/kubernetes/fake-token-review.ts'
import { annotations, REFUSED, type Scene, startScene } from '#test/kubernetes/workload.ts'

describe('workload identity', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterEach(() => {
    scene.cluster.rewrite = undefined
    scene.cluster.fault = undefined
  })
  afterAll(() => scene?.[Symbol.asyncDispose]())

  it('AU-15 a projected token resolves to its organization and deployment', async () => {
    const { validate, cluster, account, org_id, clock } = scene
    const { status, body } = await validate(cluster.token(account, { pod: 'app1-0', seconds: 600 }))
    expect([status, body]).toEqual([
      200,
      {
        principal: {
          kind: 'workload',
          id: 'system:serviceaccount:org-acme:worker-app1',
          user_id: null,
          org_id,
          role: null,
          scopes: [],
          deployment: 'dep_1',
          expires_at: new Date(clock.now().getTime() + 600_000).toISOString(),
        },
      },
    ])
  })

  it('AU-15 a workload can call only the operations open to workloads', async () => {
    const { system, cluster, account, org_id } = scene
    const client = system.client(cluster.token(account))
    expect(await client.call(me, {})).toMatchObject({ kind: 'workload', user: null, org: { id: org_id }, role: null })
    await expect(client.call(createOrg, { name: 'Mine' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('AU-15 the refusal is identical whatever is wrong with the token', async () => {
    const { validate, system, cluster, account, org_id } = scene
    const tokenWith = (name: string, given?: Record<string, string>) =>
      cluster.token(cluster.serviceAccount('org-acme', name, given))
    const good = cluster.token(account)
    const gone = tokenWith('gone', annotations(org_id))
    cluster.deleteServiceAccount({ ...account, name: 'gone' })
    const former = tokenWith('again', annotations(org_id))
    cluster.serviceAccount('org-acme', 'again', annotations(org_id))
    const tokens = {
      'another audience': cluster.token(account, { audiences: ['other'] }),
      'the default token of a pod': cluster.token(account, { audiences: [API_AUDIENCE] }),
      tampered: good.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      'signed by nobody': `${good.slice(0, good.lastIndexOf('.'))}.`,
      expired: cluster.token(account, { seconds: 0 }),
      'an account that is gone': gone,
      'an account made again': former,
      'no annotations': tokenWith('bare'),
      'no deployment': tokenWith('no-deployment', { 'svc/org-id': org_id }),
      'an empty deployment': tokenWith('empty', { 'svc/org-id': org_id, 'svc/deployment': '' }),
      'no organization': tokenWith('no-org', { 'svc/deployment': 'dep_1' }),
      'an organization nobody knows': tokenWith('foreign', annotations('org_nobody')),
    }
    for (const [name, token] of Object.entries(tokens)) expect([name, await validate(token)]).toEqual([name, REFUSED])
    expect(system.logs.join()).not.toContain('auth-service.rbac.create')
  })

  it.each<[string, (status: Record<string, unknown>) => Record<string, unknown>]>([
    ['no `authenticated`', ({ authenticated: _, ...rest }) => rest],
    ['`authenticated` false', (status) => ({ ...status, authenticated: false })],
    ['no audiences', ({ audiences: _, ...rest }) => rest],
    ['empty audiences', (status) => ({ ...status, audiences: [] })],
    ['other audiences', (status) => ({ ...status, audiences: ['svc-control-plane-2', API_AUDIENCE] })],
    ['another uid', (status) => ({ ...status, user: { ...(status.user as object), uid: 'another' } })],
    ['a person', (status) => ({ ...status, user: { username: 'jane', uid: '1' } })],
    ['a path for a name', (status) => ({ ...status, user: { username: 'system:serviceaccount:a:../b', uid: '1' } })],
    ['an account that is gone', (status) => ({ ...status, user: { username: 'system:serviceaccount:a:b', uid: '1' } })],
  ])('AU-15 a review that answers with %s is a refusal', async (_, rewrite) => {
    const { validate, cluster, account } = scene
    cluster.rewrite = rewrite
    expect(await validate(cluster.token(account))).toEqual(REFUSED)
  })

  it('AU-15 a JWT that is not of a service account is never sent to the cluster', async () => {
    const { validate, cluster } = scene
    cluster.fault = 500
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const jwtOf = (claims: object) => `${part({ alg: 'RS256' })}.${part(claims)}.x`
    const sub = 'system:serviceaccount:a:b'
    for (const claims of [
      { sub: 'usr_1', exp: 4e9 },
      { sub },
      { sub, exp: '4e9' },
      { sub, exp: 1e300 },
      { exp: 4e9 },
    ]) {
      expect(await validate(jwtOf(claims))).toEqual(REFUSED)
    }
  })

  it('AU-15 an accepted review is cached for at most ten seconds', async () => {
    const { validate, cluster, clock, org_id } = scene
    const account = cluster.serviceAccount('org-acme', 'kept', annotations(org_id))
    const token = cluster.token(account)
    await validate(token)
    cluster.deleteServiceAccount(account)
    clock.advance(9_999)
    expect((await validate(token)).status).toBe(200)
    clock.advance(1)
    expect(await validate(token)).toEqual(REFUSED)
  })

  it('AU-15 a cached review does not outlive its token', async () => {
    const { validate, cluster, account, clock } = scene
    clock.set(new Date(Math.ceil(clock.now().getTime() / 1000) * 1000))
    const token = cluster.token(account, { seconds: 5 })
    clock.advance(4_999)
    expect((await validate(token)).status).toBe(200)
    clock.advance(1)
    expect(await validate(token)).toEqual(REFUSED)
  })

  it('AU-15 a refusal is not cached: it ends as soon as its cause is removed', async () => {
    const { validate, cluster, org_id } = scene
    const late = cluster.serviceAccount('org-acme', 'late')
    const token = cluster.token(late)
    expect(await validate(token)).toEqual(REFUSED)
    late.annotations = annotations(org_id)
    expect((await validate(token)).status).toBe(200)
  })

  it('AU-15 the workloads of a deleted organization are refused at once', async () => {
    const { validate, system, cluster } = scene
    await system.db.query(sql`insert into auth.orgs (id, name, slug, created_at) values ('org_x', 'X', 'x', now())`)
    const token = cluster.token(cluster.serviceAccount('org-x', 'worker', annotations('org_x')))
    expect((await validate(token)).status).toBe(200)
    await system.db.query(sql`delete from auth.orgs where id = 'org_x'`)
    expect(await validate(token)).toEqual(REFUSED)
  })
})

describe('workload identity with other settings', () => {
  it('AU-15 WORKLOAD_AUDIENCE sets the audience', async () => {
    await using scene = await startScene({ WORKLOAD_AUDIENCE: 'ours' })
    const { validate, cluster, account } = scene
    expect(await validate(cluster.token(account))).toEqual(REFUSED)
    expect((await validate(cluster.token(account, { audiences: ['ours'] }))).status).toBe(200)
  })

  it('AU-15 with WORKLOAD_IDENTITY_ENABLED=false a workload token is refused like any other and the cluster is not called', async () => {
    await using scene = await startScene({ WORKLOAD_IDENTITY_ENABLED: 'false' })
    const { validate, cluster, account } = scene
    cluster.fault = 500
    expect(await validate(cluster.token(account))).toEqual(REFUSED)
  })
})
