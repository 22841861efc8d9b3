import { type ChatPostMessageArguments, WebClient } from '@slack/web-api'
import { expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import { type FakeSlack, startFakeSlack } from '#test/outside/fake-slack.ts'
import { personalMessage } from './message.ts'
import { callSlack, readAnswer } from './web-api.ts'

const TEAM = 'T0ACME'

/** The library of Slack itself, pointed at the fake. */
const library = (slack: FakeSlack, token?: string) =>
  new WebClient(token, { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true })

async function installed(slack: FakeSlack): Promise<string> {
  const redirect_uri = 'https://svc.example.com/callback'
  const url = `https://slack.com/oauth/v2/authorize?${new URLSearchParams({ client_id: slack.clientId, redirect_uri })}`
  const code = new URL(slack.authorize(url, { team: TEAM, user: 'U0ADMIN' })).searchParams.get('code')!
  const { clientId: client_id, clientSecret: client_secret } = slack
  const { access_token } = await library(slack).oauth.v2.access({ client_id, client_secret, code, redirect_uri })
  return access_token!
}

const message = personalMessage({
  isDigest: false,
  baseUrl: 'https://svc.example.com',
  notifications: [
    {
      id: newId('ntf'),
      subscription_id: null,
      user_id: null,
      event: {
        id: newId('evt'),
        type: 'deploy.failed',
        org_id: newId('org'),
        occurred_at: new Date(0),
        body: {
          status: 'BUILD_FAILED',
          actor_id: null,
          app: { id: newId('app'), alias: 'shop', name: 'Shop & Söhne' },
          deployment_id: newId('dep'),
        },
      },
    },
  ],
})

it('NO-10 a call sends what the library of Slack sends', async () => {
  await using slack = await startFakeSlack()
  const token = await installed(slack)
  slack.addUser(TEAM, 'U1')
  const sdk = library(slack, token)
  const own = (method: 'users.info' | 'conversations.open' | 'chat.postMessage', args: Record<string, unknown>) =>
    callSlack(slack.safeFetch, { method, arguments: args, token, timeoutMs: 5_000 })
  slack.requests.length = 0
  await sdk.users.info({ user: 'U1' })
  await own('users.info', { user: 'U1' })
  await sdk.conversations.open({ users: 'U1' })
  await own('conversations.open', { users: 'U1' })
  const posted: ChatPostMessageArguments = { channel: 'DU1', ...message }
  await sdk.apiCall('chat.postMessage', { ...posted })
  await own('chat.postMessage', { ...posted })
  const sent = slack.requests.map(({ path, token: bearer, body }) => {
    const form = new URLSearchParams(body)
    const { token: given, ...fields } = Object.fromEntries(form)
    return { path, token: bearer ?? given, fields }
  })
  for (const at of [0, 2, 4]) expect(sent[at + 1]).toEqual(sent[at])
  expect(slack.messages[1]).toEqual(slack.messages[0])
})

it('NO-10 refusals reach the library of Slack and the own call alike', async () => {
  await using slack = await startFakeSlack()
  const token = await installed(slack)
  const info = (bearer: string) =>
    callSlack(slack.safeFetch, {
      method: 'users.info',
      arguments: { user: 'U1' },
      token: bearer,
      timeoutMs: 5_000,
    })
  const refusalOf = (bearer: string) =>
    library(slack, bearer)
      .users.info({ user: 'U1' })
      .then(
        () => 'ok',
        (error: { data?: { error?: string } }) => error.data?.error,
      )
  for (const [bearer, error] of [
    ['xoxb-unknown', 'invalid_auth'],
    [token, 'user_not_found'],
  ] as const) {
    expect(readAnswer(await info(bearer))).toMatchObject({ ok: false, error })
    expect(await refusalOf(bearer)).toBe(error)
  }
  slack.uninstall(TEAM)
  expect(readAnswer(await info(token))).toMatchObject({ error: 'account_inactive' })
  expect(await refusalOf(token)).toBe('account_inactive')
})
