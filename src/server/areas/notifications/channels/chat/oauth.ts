import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import { tryParseJson } from '#lib/json.ts'
import type { ChatApp, NotificationDeps } from '../../model/deps.ts'
import { type Exchange, exchangeOnce } from '../exchange.ts'
import { parseIncomingWebhook } from './url.ts'
import { callSlack, readAnswer, SLACK_ORIGIN } from './web-api.ts'

const TIMEOUT_MS = 10_000
const CALLBACK_PATH = '/integrations/chat/callback'

/** One webhook for the channel; direct messages need the conversation with a person and whether they are active. */
const BOT_SCOPES = ['incoming-webhook', 'chat:write', 'im:write', 'users:read']

export type OauthDeps = Pick<NotificationDeps, 'safeFetch' | 'clock' | 'baseUrl'> & { chatApp: ChatApp }
type App = Pick<OauthDeps, 'chatApp' | 'baseUrl'>

/** Page where an admin installs the app and chooses its channel. */
export function installationUrl({ chatApp, baseUrl }: App, state: string): string {
  return urlOf('/oauth/v2/authorize', {
    client_id: chatApp.clientId,
    scope: BOT_SCOPES.join(','),
    redirect_uri: callbackUrl(baseUrl),
    state,
  })
}

/** Page where a person confirms which account is theirs. No email is asked for, because none is kept. */
export function linkUrl(
  { chatApp, baseUrl }: App,
  { state, nonce, workspaceId }: { state: string; nonce: string; workspaceId: string },
): string {
  return urlOf('/openid/connect/authorize', {
    response_type: 'code',
    client_id: chatApp.clientId,
    scope: 'openid profile',
    redirect_uri: callbackUrl(baseUrl),
    team: workspaceId,
    state,
    nonce,
  })
}

function urlOf(path: string, parameters: Record<string, string>): string {
  return `${SLACK_ORIGIN}${path}?${new URLSearchParams(parameters)}`
}

function callbackUrl(baseUrl: () => string): string {
  return new URL(CALLBACK_PATH, baseUrl()).href
}

const Installed = z.object({
  access_token: z.string().startsWith('xoxb-').max(500),
  team: z.object({ id: z.string().max(30), name: z.string() }),
  incoming_webhook: z.object({ url: z.string(), channel: z.string(), channel_id: z.string().max(30) }),
})

/** Exchanges the code that an installation ended with. Throws what the admin is told. */
export async function finishInstallation(deps: OauthDeps, code: string) {
  const answer = await exchangeCode(deps, 'oauth.v2.access', code)
  const { success, data } = Installed.safeParse(answer)
  if (!success || parseIncomingWebhook(data.incoming_webhook.url)?.workspaceId !== data.team.id) throw notConfirmed()
  const { access_token, team, incoming_webhook } = data
  return {
    botToken: access_token,
    workspaceId: team.id,
    workspaceName: subjectLine(team.name),
    channel: {
      id: incoming_webhook.channel_id,
      name: subjectLine(incoming_webhook.channel),
      url: incoming_webhook.url,
    },
  }
}

const Identity = z.object({
  'https://slack.com/user_id': z.string().regex(/^[UW][A-Z0-9]{1,30}$/),
  'https://slack.com/team_id': z.string().regex(/^[TE][A-Z0-9]{1,30}$/),
  name: z.string().optional(),
})

export type ChatAccount = { workspaceId: string; chatUserId: string; displayName: string }

/** Exchanges the code that a linking ended with for the account. The tokens are used for nothing and dropped. */
export async function finishLinking(deps: OauthDeps, code: string, nonce: string): Promise<ChatAccount> {
  const { id_token } = await exchangeCode(deps, 'openid.connect.token', code)
  if (typeof id_token !== 'string') throw notConfirmed()
  const claims = await verifyIdToken(deps, id_token, await fetchKeys(deps))
  const { success, data } = Identity.safeParse(claims)
  if (!success || claims.nonce !== nonce) throw notConfirmed()
  const chatUserId = data['https://slack.com/user_id']
  const displayName = subjectLine(data.name ?? '').slice(0, 100)
  return { workspaceId: data['https://slack.com/team_id'], chatUserId, displayName: displayName || chatUserId }
}

async function exchangeCode(
  { safeFetch, chatApp, baseUrl }: OauthDeps,
  method: 'oauth.v2.access' | 'openid.connect.token',
  code: string,
): Promise<Readonly<Record<string, unknown>>> {
  const exchange = await callSlack(safeFetch, {
    method,
    arguments: {
      code,
      client_id: chatApp.clientId,
      client_secret: chatApp.clientSecret,
      redirect_uri: callbackUrl(baseUrl),
    },
    timeoutMs: TIMEOUT_MS,
  })
  const answer = readAnswer(exchange)
  if (!answer) throw noAnswer(exchange)
  if (!answer.ok) throw notConfirmed()
  return answer
}

async function fetchKeys({ safeFetch }: OauthDeps): Promise<JSONWebKeySet> {
  const exchange = await exchangeOnce(safeFetch, `${SLACK_ORIGIN}/openid/connect/keys`, {
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: 64 * 1024,
  })
  const keys = exchange.answered && exchange.status === 200 ? tryParseJson(exchange.body) : undefined
  if (keys === undefined) throw noAnswer(exchange)
  return keys as JSONWebKeySet
}

async function verifyIdToken({ chatApp, clock }: OauthDeps, idToken: string, keys: JSONWebKeySet): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(idToken, createLocalJWKSet(keys), {
      issuer: SLACK_ORIGIN,
      audience: chatApp.clientId,
      algorithms: ['RS256'],
      currentDate: clock.now(),
      clockTolerance: 60,
      requiredClaims: ['exp', 'iat', 'nonce'],
    })
    return payload
  } catch {
    throw notConfirmed()
  }
}

function notConfirmed(): ServiceError {
  return new ServiceError('INVALID_REQUEST', 'The chat service did not confirm this. Begin again.')
}

function noAnswer(exchange: Exchange): ServiceError {
  const status = exchange.status === undefined ? '' : ` (status ${exchange.status})`
  return new ServiceError('UNAVAILABLE', `The chat service does not answer${status}. Wait a moment and begin again.`)
}
