import { tryParseObject } from '#lib/json.ts'
import type { Outcome } from '../../model/outcome.ts'
import { type Answered, type Exchange, REFUSED_REASONS, retryOutcome } from '../exchange.ts'

/** Result of a post, or the question whose answer says what the post came to. */
export type PostVerdict =
  | Outcome
  /** Whether the topic exists: then the post was made, now or by an earlier attempt. */
  | { readonly type: 'ask_for_topic'; readonly ifAbsent: Outcome; readonly ifUnclear: Outcome }
  /** Whether the acting user has an account: a wrong key is refused in the same way. */
  | { readonly type: 'ask_for_account' }

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
  const answer = tryParseObject(body)
  return typeof answer?.topic_id === 'number' || answer?.action === 'enqueued'
}

/** The post was made or not. If the topic is not there, posting it again is safe: its external id is unique. */
function unclear(reason: string): PostVerdict {
  return { type: 'ask_for_topic', ifAbsent: { type: 'retry', reason }, ifUnclear: { type: 'unknown', reason } }
}

/** A limit of the author delays this topic only, not those of other users. */
function retry(answer: Answered, now: Date): Outcome {
  const isOfAuthor = answer.status === 429 && answer.limitCode !== KEY_LIMIT
  return { ...retryOutcome(`http_${answer.status}`, answer, now), ...(isOfAuthor && { isOurFault: true }) }
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

const ACCOUNT_OUTCOMES: Readonly<Record<number, Outcome>> = {
  // The account exists, but is suspended or may not post in this category.
  200: { type: 'failed', reason: 'http_403' },
  403: { type: 'retry', reason: 'forum_key_refused' },
  404: { type: 'failed', reason: 'no_forum_account' },
}

/** The outcome of a post that was refused with 403, from the answer to the question for the author's account. */
export function classifyAccount(exchange: Exchange): Outcome {
  const outcome = exchange.answered ? ACCOUNT_OUTCOMES[exchange.status] : undefined
  return outcome ?? { type: 'retry', reason: 'http_403' }
}
