import type { Outcome } from '../../model/outcome.ts'
import { retryAfterSeconds } from '../../model/schedule.ts'
import type { Exchange } from '../exchange.ts'

type Answered = Extract<Exchange, { answered: true }>

/** Result of a post, or the question whose answer says what the post came to. */
export type PostVerdict =
  | Outcome
  /** Whether the topic exists: then the post was made, now or by an earlier attempt. */
  | { readonly type: 'ask_for_topic'; readonly ifAbsent: Outcome; readonly ifUnclear: Outcome }
  /** Whether the acting user has an account: a wrong key is refused in the same way. */
  | { readonly type: 'ask_for_account' }

/** Refusals before connecting that a retry cannot fix. */
const REFUSED_REASONS = ['refused_address', 'refused_url', 'redirect']
/** Discourse's name for the limit of the API key, which all posts share. All other limits are those of one author. */
const KEY_LIMIT = 'admin_api_key_rate_limit'

/** Maps the answer to a post to an outcome. What only the forum can know is asked there before anything is decided. */
export function classifyTopicPost(exchange: Exchange, now: Date): PostVerdict {
  return exchange.answered ? fromStatus(exchange, now) : fromFailure(exchange)
}

function fromStatus(answer: Answered, now: Date): PostVerdict {
  const { status } = answer
  const reason = `http_${status}`
  if (status >= 200 && status < 300) return isPosted(answer.body) ? { type: 'sent' } : unclear('unexpected_answer')
  switch (status) {
    case 403:
      return { type: 'ask_for_account' }
    case 404:
    case 410:
      return { type: 'gone', reason }
    case 422:
      // Also the answer to a topic that exists, posted by an attempt whose answer was lost.
      return { type: 'ask_for_topic', ifAbsent: { type: 'failed', reason }, ifUnclear: { type: 'retry', reason } }
    case 408:
    case 425:
    case 429:
    case 503:
      return retry(answer, now)
    default:
      return status >= 500 ? unclear(reason) : { type: 'failed', reason }
  }
}

/** Discourse answers with the post, or with `enqueued` when moderators approve posts first. */
function isPosted(body: string): boolean {
  try {
    const answer = JSON.parse(body) as { topic_id?: unknown; action?: unknown } | null
    return typeof answer?.topic_id === 'number' || answer?.action === 'enqueued'
  } catch {
    return false
  }
}

/** The post was made or not. If the topic is not there, posting it again is safe: its external id is unique. */
function unclear(reason: string): PostVerdict {
  return { type: 'ask_for_topic', ifAbsent: { type: 'retry', reason }, ifUnclear: { type: 'unknown', reason } }
}

/** A limit of the author delays this topic only, not those of other users. */
function retry({ status, retryAfter, limitCode }: Answered, now: Date): Outcome {
  const seconds = retryAfterSeconds(retryAfter, now)
  const isOfAuthor = status === 429 && limitCode !== KEY_LIMIT
  return {
    type: 'retry',
    reason: `http_${status}`,
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    ...(isOfAuthor && { isOurFault: true }),
  }
}

/** A status that arrived before the rest of the answer was lost decides as if all of it had arrived. */
function fromFailure({ reason, sent, status }: Extract<Exchange, { answered: false }>): PostVerdict {
  if (REFUSED_REASONS.includes(reason)) return { type: 'failed', reason }
  if (status !== undefined) return fromStatus({ answered: true, status, retryAfter: undefined, body: '' }, new Date(0))
  return sent ? unclear(reason) : { type: 'retry', reason }
}

/** Whether a topic with this external id exists. Only the topic itself proves that it does. */
export function classifyTopicSearch(exchange: Exchange, externalId: string): 'present' | 'absent' | 'unclear' {
  if (!exchange.answered) return 'unclear'
  if (exchange.status === 404) return 'absent'
  const shown = /"external_id"\s*:\s*"([\w-]+)"/.exec(exchange.body)?.[1]
  return exchange.status === 200 && shown === externalId ? 'present' : 'unclear'
}

/** The outcome of a post that was refused with 403, from the answer to the question for the author's account. */
export function classifyAccount(exchange: Exchange): Outcome {
  if (!exchange.answered) return { type: 'retry', reason: 'http_403' }
  switch (exchange.status) {
    case 200:
      // The account exists, but is suspended or may not post in this category.
      return { type: 'failed', reason: 'http_403' }
    case 404:
      return { type: 'failed', reason: 'no_forum_account' }
    case 403:
      return { type: 'retry', reason: 'forum_key_refused' }
    default:
      return { type: 'retry', reason: 'http_403' }
  }
}
