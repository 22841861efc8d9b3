import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createSafeFetch, type SafeFetch } from '#lib/net/safe-fetch.ts'
import { fakeConnect, fakeResolve } from './internet.ts'

type Answer = { status: number; body: string | object; headers?: Record<string, string> }
/** A person at Slack's page: which workspace and account they use there, and the channel they choose for the app. */
type Visitor = { team: string; user: string; channel?: string; name?: string }
type Pending = Visitor & { redirectUri: string; nonce: string | null; isOpenId: boolean }
type Request = { team: string | undefined; path: string; token: string | undefined; body: string }

export type FakeSlack = AsyncDisposable & {
  /** Reaches this server under Slack's names, and nothing else. */
  safeFetch: SafeFetch
  apiUrl: string
  clientId: string
  clientSecret: string
  /** Every secret that it gave out. */
  secrets: string[]
  /** All requests, in order. */
  requests: Request[]
  /** Messages that it accepted, by incoming webhook or by chat.postMessage. */
  messages: { team: string; to: string; message: Record<string, unknown> }[]
  addWebhook(team: string): string
  deleteWebhook(url: string): void
  /** The app is installed in the workspace without the page. */
  addInstallation(team: string): { botToken: string }
  addUser(team: string, user: string): void
  deactivateUser(user: string): void
  /** The workspace removes the app: its tokens and webhooks end. */
  uninstall(team: string): void
  /**
   * Answers the next request with this instead. `to` is a path, or a workspace and a path for webhooks and calls with a
   * token: retries of other tests may arrive at any time.
   */
  answerNext(to: string | { team: string; path: string }, answer: Partial<Answer> | 'hang up'): void
  /** Confirms the page behind an authorize URL and returns where the browser is redirected. */
  authorize(url: string, visitor: Visitor): string
  /** Overrides claims of the next ID tokens; undefined removes one. */
  claims: Record<string, unknown>
  useForeignKey(on: boolean): void
}

const HOOKS_IP = '93.184.215.21'
const SLACK_IP = '93.184.215.22'
const secret = (bytes = 12) => randomBytes(bytes).toString('hex')
const refusal = (error: string): Answer => ({ status: 200, body: { ok: false, error } })
const ok = (body: object): Answer => ({ status: 200, body: { ok: true, ...body } })

/** Starts a server on loopback that speaks Slack's OAuth, OpenID Connect, incoming webhooks and Web API. */
export async function startFakeSlack(): Promise<FakeSlack> {
  const keys = { own: await generateKeyPair('RS256'), foreign: await generateKeyPair('RS256') }
  const jwks = { keys: [{ ...(await exportJWK(keys.own.publicKey)), kid: 's1', alg: 'RS256', use: 'sig' }] }
  const webhooks = new Map<string, { team: string; isDeleted: boolean }>()
  const users = new Map<string, { team: string; deleted: boolean }>()
  const tokens = new Map<string, { team: string; isRevoked: boolean }>()
  const codes = new Map<string, Pending>()
  const nextAnswers: { path: string; team?: string; answer: Partial<Answer> | 'hang up' }[] = []
  let foreign = false

  const server = createServer((request, response) => {
    void answer(request).then((given) => {
      if (given === 'hang up') return response.destroy()
      const { status, body, headers = {} } = given
      const isText = typeof body === 'string'
      response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
      return response.end(isText ? body : JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function answer(request: IncomingMessage): Promise<Answer | 'hang up'> {
    const body = await text(request)
    const path = request.url ?? ''
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1]
    const team = path.startsWith('/services/') ? path.split('/')[2] : tokens.get(token ?? '')?.team
    slack.requests.push({ team, path, token, body })
    const at = nextAnswers.findIndex((next) => path.startsWith(next.path) && (next.team ?? team) === team)
    const [next] = at === -1 ? [] : nextAnswers.splice(at, 1)
    if (next?.answer === 'hang up') return 'hang up'
    if (next) return { status: 200, body: '', ...next.answer }
    if (path.startsWith('/services/')) return incomingWebhook(path, body)
    if (path === '/openid/connect/keys') return { status: 200, body: jwks }
    const form = Object.fromEntries(new URLSearchParams(body))
    if (path === '/api/oauth.v2.access') return oauthAccess(form)
    if (path === '/api/openid.connect.token') return openIdToken(form)
    return webApi(path, token ?? form.token, form)
  }

  function incomingWebhook(path: string, body: string): Answer {
    const hook = webhooks.get(path)
    if (!hook || hook.isDeleted) return { status: 404, body: 'no_service' }
    let message: Record<string, unknown>
    try {
      message = JSON.parse(body)
    } catch {
      return { status: 400, body: 'invalid_payload' }
    }
    if (!message.text && !message.blocks) return { status: 400, body: 'no_text' }
    slack.messages.push({ team: hook.team, to: path, message })
    return { status: 200, body: 'ok' }
  }

  function takeCode({ code = '', client_id, client_secret, redirect_uri }: Record<string, string>, isOpenId: boolean) {
    if (client_id !== slack.clientId) return 'invalid_client_id'
    if (client_secret !== slack.clientSecret) return 'bad_client_secret'
    const pending = codes.get(code)
    codes.delete(code)
    if (!pending || pending.isOpenId !== isOpenId) return 'invalid_code'
    return pending.redirectUri === redirect_uri ? pending : 'bad_redirect_uri'
  }

  function oauthAccess(form: Record<string, string>): Answer {
    const pending = takeCode(form, false)
    if (typeof pending === 'string') return refusal(pending)
    const { team, user, channel = 'C0GENERAL' } = pending
    return ok({
      access_token: slack.addInstallation(team).botToken,
      token_type: 'bot',
      scope: 'incoming-webhook,chat:write,im:write,users:read',
      bot_user_id: 'U0BOT',
      app_id: 'A0SVC',
      team: { id: team, name: `Team ${team}` },
      enterprise: null,
      is_enterprise_install: false,
      authed_user: { id: user },
      incoming_webhook: {
        channel: `#${channel.toLowerCase()}`,
        channel_id: channel,
        configuration_url: `https://team.slack.com/services/B${team}`,
        url: slack.addWebhook(team),
      },
    })
  }

  async function openIdToken(form: Record<string, string>): Promise<Answer> {
    const pending = takeCode(form, true)
    if (typeof pending === 'string') return refusal(pending)
    const { team, user, nonce, name = 'Pat Doe' } = pending
    const access_token = `xoxp-${secret()}`
    slack.secrets.push(access_token)
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: 'https://slack.com',
      sub: user,
      aud: slack.clientId,
      iat: now,
      exp: now + 300,
      nonce,
      'https://slack.com/user_id': user,
      'https://slack.com/team_id': team,
      email: `${user}@people.test`,
      name,
      ...slack.claims,
    }
    const defined = Object.entries(claims).filter(([, value]) => value !== undefined && value !== null)
    const id_token = await new SignJWT(Object.fromEntries(defined))
      .setProtectedHeader({ alg: 'RS256', kid: 's1' })
      .sign((foreign ? keys.foreign : keys.own).privateKey)
    return ok({ access_token, token_type: 'Bearer', id_token })
  }

  function webApi(path: string, token: string | undefined, form: Record<string, string>): Answer {
    if (token === undefined) return refusal('not_authed')
    const held = tokens.get(token)
    if (!held) return refusal('invalid_auth')
    if (held.isRevoked) return refusal('account_inactive')
    if (path === '/api/users.info') return userInfo(form.user ?? '', held.team)
    if (path === '/api/conversations.open') return openConversation(form.users ?? '')
    if (path === '/api/chat.postMessage') return postMessage(held.team, form)
    return refusal('unknown_method')
  }

  function userInfo(id: string, team: string): Answer {
    const user = users.get(id)
    if (user?.team !== team) return refusal('user_not_found')
    return ok({ user: { id, team_id: team, deleted: user.deleted, name: id.toLowerCase(), profile: {} } })
  }

  function openConversation(id: string): Answer {
    const user = users.get(id)
    if (!user) return refusal('user_not_found')
    return user.deleted ? refusal('user_disabled') : ok({ channel: { id: `D${id}` } })
  }

  function postMessage(team: string, { channel = '', blocks, ...form }: Record<string, string>): Answer {
    if (!users.has(channel.slice(1))) return refusal('channel_not_found')
    if (!form.text && !blocks) return refusal('no_text')
    const message = { ...form, channel, ...(blocks && { blocks: JSON.parse(blocks) }) }
    slack.messages.push({ team, to: channel, message })
    return ok({ channel, ts: '1.000100', message: { text: form.text } })
  }

  const slack: FakeSlack = {
    safeFetch: createSafeFetch({
      resolve: fakeResolve({ 'hooks.slack.com': [[HOOKS_IP]], 'slack.com': [[SLACK_IP]] }),
      connect: fakeConnect({ [HOOKS_IP]: { port }, [SLACK_IP]: { port } }),
    }),
    apiUrl: `http://127.0.0.1:${port}/api/`,
    clientId: '123.456',
    clientSecret: secret(16),
    secrets: [],
    requests: [],
    messages: [],
    claims: {},
    addWebhook: (team) => {
      const path = `/services/${team}/B${secret(4).toUpperCase()}/${secret()}`
      webhooks.set(path, { team, isDeleted: false })
      slack.secrets.push(path.split('/').at(-1)!)
      return `https://hooks.slack.com${path}`
    },
    deleteWebhook: (url) => {
      webhooks.get(new URL(url).pathname)!.isDeleted = true
    },
    addInstallation: (team) => {
      const botToken = `xoxb-${secret()}`
      tokens.set(botToken, { team, isRevoked: false })
      slack.secrets.push(botToken)
      return { botToken }
    },
    addUser: (team, user) => void users.set(user, { team, deleted: false }),
    deactivateUser: (user) => {
      users.get(user)!.deleted = true
    },
    uninstall: (team) => {
      for (const token of tokens.values()) if (token.team === team) token.isRevoked = true
      for (const hook of webhooks.values()) if (hook.team === team) hook.isDeleted = true
    },
    answerNext: (to, given) =>
      void nextAnswers.push({ ...(typeof to === 'string' ? { path: to } : to), answer: given }),
    authorize: (url, visitor) => {
      const { origin, pathname, searchParams: asked } = new URL(url)
      const isOpenId = pathname === '/openid/connect/authorize'
      if (origin !== 'https://slack.com' || (!isOpenId && pathname !== '/oauth/v2/authorize'))
        throw new Error(`not a page of Slack: ${origin}${pathname}`)
      if (asked.get('client_id') !== slack.clientId) throw new Error('invalid_client_id')
      if (isOpenId && asked.get('response_type') !== 'code') throw new Error('the code flow only')
      const redirectUri = asked.get('redirect_uri') ?? ''
      const code = secret()
      codes.set(code, { ...visitor, redirectUri, nonce: asked.get('nonce'), isOpenId })
      return `${redirectUri}?${new URLSearchParams({ code, state: asked.get('state') ?? '' })}`
    },
    useForeignKey: (on) => {
      foreign = on
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  slack.secrets.push(slack.clientSecret)
  return slack
}
