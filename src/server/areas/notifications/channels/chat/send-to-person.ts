import { DESTINATION_GONE, type Message, type Send, type Sent } from '../../deliver/send.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { ACCOUNT_INACTIVE } from '../../model/outcome.ts'
import type { Exchange } from '../exchange.ts'
import { classifyPost, classifyPreparation, isDeactivated } from './classify-web-api.ts'
import { findDirectTarget } from './link-store.ts'
import { personalMessage } from './message.ts'
import { callSlack, readAnswer } from './web-api.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'safeFetch' | 'clock' | 'baseUrl'>

/** Three requests make one attempt; together they stay within the time that an attempt may take. */
const REQUEST_TIMEOUT_MS = 5_000

type Caller = (method: 'users.info' | 'conversations.open' | 'chat.postMessage', args: object) => Promise<Exchange>

/** Sends a direct message to the account that the person has linked, after checking that the account is active. */
export function chatPersonSender(deps: Deps): Send {
  return async (message, signal) => {
    const { org_id, user_id } = message.delivery
    if (user_id === null) return DESTINATION_GONE
    const target = await findDirectTarget(deps.db, deps.sealer, { orgId: org_id, userId: user_id })
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
  if (checked !== 'go on') return { outcome: checked, status: user.status }
  // A message to a deactivated account is accepted by Slack and read by nobody.
  if (isDeactivated(user)) return { outcome: { type: 'gone', reason: ACCOUNT_INACTIVE }, status: user.status }
  const opened = await call('conversations.open', { users: chatUserId })
  const prepared = classifyPreparation(opened, clock.now())
  if (prepared !== 'go on') return { outcome: prepared, status: opened.status }
  const channel = conversationOf(opened)
  if (channel === undefined) return { outcome: { type: 'retry', reason: 'unreadable_answer' }, status: opened.status }
  const posted = await call('chat.postMessage', { channel, ...personalMessage({ ...message, baseUrl: baseUrl() }) })
  return { outcome: classifyPost(posted, clock.now()), status: posted.status }
}

function conversationOf(exchange: Exchange): string | undefined {
  const channel = readAnswer(exchange)?.channel
  const id = typeof channel === 'object' && channel !== null && 'id' in channel ? channel.id : undefined
  return typeof id === 'string' ? id : undefined
}
