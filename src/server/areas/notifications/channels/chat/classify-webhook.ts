import type { Outcome } from '../../model/outcome.ts'
import { type Exchange, retryOutcome } from '../exchange.ts'
import { classifyWebhook } from '../webhook/classify.ts'

/** Words that Slack answers in the body of a refused incoming webhook, as plain text. */
const OUTCOMES: Readonly<Record<string, 'retry' | 'failed' | 'gone'>> = {
  rollup_error: 'retry',
  ratelimited: 'retry',
  rate_limited: 'retry',
  invalid_payload: 'failed',
  invalid_blocks: 'failed',
  no_text: 'failed',
  user_not_found: 'failed',
  action_prohibited: 'failed',
  posting_to_general_channel_denied: 'failed',
  no_service: 'gone',
  no_service_id: 'gone',
  no_active_hooks: 'gone',
  no_team: 'gone',
  team_disabled: 'gone',
  invalid_token: 'gone',
  channel_not_found: 'gone',
  channel_is_archived: 'gone',
}

/**
 * Maps the answer of an incoming webhook to an outcome. The word in the body decides before the status, because Slack
 * uses one status for different faults: a 404 without a known word can come from a proxy and does not prove that the
 * webhook is gone.
 */
export function classifyIncomingWebhook(exchange: Exchange, now: Date): Outcome {
  const word = exchange.answered ? exchange.body.trim() : ''
  const type = Object.hasOwn(OUTCOMES, word) ? OUTCOMES[word] : undefined
  if (!exchange.answered || type === undefined) return classifyWebhook(exchange, now)
  return type === 'retry' ? retryOutcome(word, exchange, now) : { type, reason: word }
}
