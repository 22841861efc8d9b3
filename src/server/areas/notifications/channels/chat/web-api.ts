import { tryParseObject } from '#lib/json.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import { type Exchange, exchangeOnce } from '../exchange.ts'

export const SLACK_ORIGIN = 'https://slack.com'

/** Answers with a profile or with an echo of the message are longer than what receivers of webhooks may answer. */
const MAX_ANSWER_BYTES = 256 * 1024

type Call = {
  method: 'oauth.v2.access' | 'openid.connect.token' | 'users.info' | 'conversations.open' | 'chat.postMessage'
  arguments: Record<string, unknown>
  token?: string
  signal?: AbortSignal
  timeoutMs: number
}

/** Calls one method of Slack's Web API, once. Arguments are sent as a form, values other than text as JSON. */
export function callSlack(
  safeFetch: SafeFetch,
  { method, token, signal, timeoutMs, ...call }: Call,
): Promise<Exchange> {
  const form = Object.entries(call.arguments).map(([name, value]) => [name, asText(value)] as [string, string])
  return exchangeOnce(safeFetch, `${SLACK_ORIGIN}/api/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'svc-notifications',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: new URLSearchParams(form).toString(),
    timeoutMs,
    maxResponseBytes: MAX_ANSWER_BYTES,
    ...(signal && { signal }),
  })
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

type SlackAnswer = { readonly ok: boolean; readonly error?: unknown } & Readonly<Record<string, unknown>>

/** Returns undefined unless the body is an answer of the Web API: a JSON object with `ok`. */
export function readAnswer(exchange: Exchange): SlackAnswer | undefined {
  const body = exchange.answered ? tryParseObject(exchange.body) : undefined
  return typeof body?.ok === 'boolean' ? (body as SlackAnswer) : undefined
}
