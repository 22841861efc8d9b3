import { ACCOUNT_INACTIVE, INSTALLATION_BROKEN, type Outcome } from '../../model/outcome.ts'
import { type Exchange, retryOutcome } from '../exchange.ts'
import { classifyWebhook } from '../webhook/classify.ts'
import { readAnswer } from './web-api.ts'

/**
 * Meaning of the errors of the Web API. They are about the installation (its token does not work any more), about the
 * person's account, about the moment, or nobody can know whether the message was posted. All others are final.
 */
const ERRORS: Readonly<Record<string, 'retry' | 'installation' | 'account' | 'unknown'>> = {
  ratelimited: 'retry',
  rate_limited: 'retry',
  service_unavailable: 'retry',
  request_timeout: 'retry',
  team_added_to_org: 'retry',
  account_inactive: 'installation',
  token_revoked: 'installation',
  token_expired: 'installation',
  invalid_auth: 'installation',
  not_authed: 'installation',
  team_access_not_granted: 'installation',
  user_disabled: 'account',
  user_not_found: 'account',
  user_not_visible: 'account',
  // Slack says that some part of the operation may have succeeded.
  internal_error: 'unknown',
  fatal_error: 'unknown',
}

/**
 * Maps the answer to chat.postMessage to an outcome. The error in the body decides before the status, which is 200 for
 * most refusals.
 */
export function classifyPost(exchange: Exchange, now: Date): Outcome {
  const answer = readAnswer(exchange)
  if (!exchange.answered || !answer) return fromTransport(exchange, now)
  if (answer.ok) return { type: 'sent' }
  const error = nameOf(answer.error)
  switch (Object.hasOwn(ERRORS, error) ? ERRORS[error] : undefined) {
    case 'retry':
      return retryOutcome(error, exchange, now)
    case 'installation':
      return { type: 'gone', reason: INSTALLATION_BROKEN }
    case 'account':
      return { type: 'gone', reason: ACCOUNT_INACTIVE }
    case 'unknown':
      return { type: 'unknown', reason: error }
    default:
      return { type: 'failed', reason: error }
  }
}

/** Maps the answer to a call before the message was posted: whatever happened, nothing was delivered. */
export function classifyPreparation(exchange: Exchange, now: Date): Outcome | 'go on' {
  const outcome = classifyPost(exchange, now)
  if (outcome.type === 'sent') return 'go on'
  return outcome.type === 'unknown' ? { type: 'retry', reason: outcome.reason } : outcome
}

/** Whether users.info says that the account was deactivated. A deleted account answers so too. */
export function isDeactivated(exchange: Exchange): boolean {
  const user = readAnswer(exchange)?.user
  return typeof user === 'object' && user !== null && 'deleted' in user && user.deleted === true
}

/** No status of this API means that the person or the installation is gone: Slack says that in the body. */
function fromTransport(exchange: Exchange, now: Date): Outcome {
  const outcome = classifyWebhook(exchange, now)
  if (outcome.type === 'gone') return { type: 'failed', reason: outcome.reason }
  // A success without the answer of the API can come from a proxy.
  return outcome.type === 'sent' ? { type: 'unknown', reason: 'unreadable_answer' } : outcome
}

function nameOf(error: unknown): string {
  return typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'unnamed_error'
}
