import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { type FakeKubernetes, startFakeKubernetes } from './fake-kubernetes.ts'
import { API_AUDIENCE } from './fake-token-review.ts'

const OURS = 'svc-control-plane'

describe('the fake answers as a real API server was seen to', () => {
  let fake: FakeKubernetes
  beforeEach(async () => {
    fake = await startFakeKubernetes()
  })
  afterEach(() => fake[Symbol.asyncDispose]())

  const send = async (method: string, path: string, body?: object, bearer = fake.reviewerToken()) => {
    await using trusting = createOperatorFetch({ ca: fake.ca() })
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await trusting(new Request(fake.url + path, init))
    return { code: response.status, ...((await response.json()) as { status: Record<string, unknown> }) }
  }
  const review = (token: string, audiences?: string[]) =>
    send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } })
  const account = () => fake.serviceAccount('org-acme', 'worker-app1')

  it('1 a token for us: 201, authenticated, the account’s uid', async () => {
    const worker = account()
    const { code, status } = await review(fake.token(worker), [OURS])
    expect(code).toBe(201)
    expect(status).toMatchObject({
      authenticated: true,
      audiences: [OURS],
      user: {
        username: 'system:serviceaccount:org-acme:worker-app1',
        uid: worker.uid,
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
      },
    })
  })

  it('2 a token bound to a pod names it', async () => {
    const { status } = await review(fake.token(account(), { pod: 'app1-0' }), [OURS])
    expect(status.user).toMatchObject({ extra: { 'authentication.kubernetes.io/pod-name': ['app1-0'] } })
  })

  it.each<[string, string[], string[] | undefined]>([
    ['3 another audience', ['other'], [OURS]],
    ['4 ours, reviewed without audiences', [OURS], undefined],
    ['5 a pod’s default token, reviewed for us', [API_AUDIENCE], [OURS]],
  ])('%s: 201 without `authenticated`', async (_, held, asked) => {
    const { code, status } = await review(fake.token(account(), { audiences: held }), asked)
    expect([code, Object.keys(status), status.user]).toEqual([201, ['user', 'error'], {}])
  })

  it('6 a pod’s default token, reviewed without audiences: accepted, for the API server', async () => {
    const { status } = await review(fake.token(account(), { audiences: [API_AUDIENCE] }))
    expect(status).toMatchObject({ authenticated: true, audiences: [API_AUDIENCE] })
  })

  it('7 of two audiences asked, the one held', async () => {
    const { status } = await review(fake.token(account()), [OURS, 'other'])
    expect(status).toMatchObject({ authenticated: true, audiences: [OURS] })
  })

  it('8, 9 tampered and garbage: 201 without `authenticated`', async () => {
    const tampered = fake.token(account()).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    for (const token of [tampered, 'garbage']) {
      expect(await review(token, [OURS])).toMatchObject({ code: 201, status: { user: {}, error: expect.any(String) } })
      expect((await review(token, [OURS])).status).not.toHaveProperty('authenticated')
    }
  })

  it('10 no token: 400', async () => {
    expect(await review('', [OURS])).toMatchObject({ code: 400, message: expect.stringContaining('token is required') })
  })

  it('11, 19 a reviewer without the rule: 403', async () => {
    fake.rbac.tokenreviews = false
    expect((await review(fake.token(account()), [OURS])).code).toBe(403)
  })

  it('12 a token for us opens nothing in the cluster: 401', async () => {
    const path = '/api/v1/namespaces/org-acme/serviceaccounts/worker-app1'
    expect((await send('GET', path, undefined, fake.token(account()))).code).toBe(401)
  })

  it('13, 14 service accounts can be read, pods cannot', async () => {
    const { uid } = account()
    const path = '/api/v1/namespaces/org-acme'
    expect(await send('GET', `${path}/serviceaccounts/worker-app1`)).toMatchObject({ code: 200, metadata: { uid } })
    expect((await send('GET', `${path}/serviceaccounts/nobody`)).code).toBe(404)
    expect((await send('GET', `${path}/pods/app1-0`)).code).toBe(403)
  })

  it('15-18 an account deleted, or made again under its name, does not pass', async () => {
    const former = account()
    const token = fake.token(former)
    account()
    expect((await review(token, [OURS])).status).not.toHaveProperty('authenticated')
    fake.deleteServiceAccount(former)
    expect((await review(token, [OURS])).status).not.toHaveProperty('authenticated')
  })
})
