import type { Clock } from '#lib/clock.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { Message, Send, Sent } from '../../deliver/send.ts'
import type { Outcome } from '../../model/outcome.ts'
import { ACCOUNT_INACTIVE } from '../../model/outcome.ts'
import type { Exchange } from '../exchange.ts'
import { classifyPost, classifyPreparation, isDeactivated } from './classify-web-api.ts'
import type { DirectTarget } from './link-store.ts'
import { personalMessage } from './message.ts'
import { callSlack, readAnswer } from './web-api.ts'

type Deps = {
  safeFetch: SafeFetch
  clock: Clock
  /** Address of the console, which links begin with. */
  baseUrl: () => string
  findTarget: (orgId: string, userId: string) => Promise<DirectTarget>
}

/** Three requests make one attempt; together they stay within the time that an attempt may take. */
const REQUEST_TIMEOUT_MS = 5_000

type Caller = (method: 'users.info' | 'conversations.open' | 'chat.postMessage', args: object) => Promise<Exchange>

/** Sends a direct message to the account that the person has linked, after checking that the account is active. */
export function chatPersonSender(deps: Deps): Send {
  return async (message, signal) => {
    const { org_id, user_id } = message.delivery
    if (user_id === null) return { outcome: { type: 'dropped', reason: 'destination_gone' } }
    const target = await deps.findTarget(org_id, user_id)
    if ('notSent' in target) return { outcome: { type: 'dropped', reason: target.notSent } }
    const { botToken: token, chatUserId } = target
    const call: Caller = (method, args) =>
      callSlack(deps.safeFetch, { method, arguments: { ...args }, token, signal, timeoutMs: REQUEST_TIMEOUT_MS })
    return sendTo(deps, call, { message, chatUserId })
  }
}

async function sendTo(
  { clock, baseUrl }: Deps,
  call: Caller,
  { message, chatUserId }: { message: Message; chatUserId: string },
): Promise<Sent> {
  const user = await call('users.info', { user: chatUserId })
  const checked = classifyPreparation(user, clock.now())
  if (checked !== 'go on') return ended(checked, user)
  // A message to a deactivated account is accepted by Slack and read by nobody.
  if (isDeactivated(user)) return ended({ type: 'gone', reason: ACCOUNT_INACTIVE }, user)
  const opened = await call('conversations.open', { users: chatUserId })
  const prepared = classifyPreparation(opened, clock.now())
  if (prepared !== 'go on') return ended(prepared, opened)
  const channel = conversationOf(opened)
  if (channel === undefined) return ended({ type: 'retry', reason: 'unreadable_answer' }, opened)
  const posted = await call('chat.postMessage', { channel, ...personalMessage({ ...message, baseUrl: baseUrl() }) })
  return ended(classifyPost(posted, clock.now()), posted)
}

function ended(outcome: Outcome, { status }: Exchange): Sent {
  return status === undefined ? { outcome } : { outcome, status }
}

function conversationOf(exchange: Exchange): string | undefined {
  const channel = readAnswer(exchange)?.channel
  const id = typeof channel === 'object' && channel !== null && 'id' in channel ? channel.id : undefined
  return typeof id === 'string' ? id : undefined
}
