import type { Outcome } from '../../model/outcome.ts'
import { type Answered, type Exchange, REFUSED_REASONS, retryOutcome } from '../exchange.ts'

/** Answers of a gateway for a server that may have acted on the request. */
const GATEWAY_STATUSES = [502, 504, 520, 521, 522, 523, 524]
const RETRYABLE_STATUSES = [408, 425, 429]

/** Maps the result of one request to a webhook to an outcome. Only proof of non-delivery leads to another attempt. */
export function classifyWebhook(exchange: Exchange, now: Date): Outcome {
  return exchange.answered ? fromStatus(exchange, now) : fromFailure(exchange)
}

function fromStatus(answer: Answered, now: Date): Outcome {
  const { status } = answer
  const reason = `http_${status}`
  if (status >= 200 && status < 300) return { type: 'sent' }
  if (status === 410) return { type: 'gone', reason }
  if (GATEWAY_STATUSES.includes(status)) return { type: 'unknown', reason }
  if (status >= 500 || RETRYABLE_STATUSES.includes(status)) return retryOutcome(reason, answer, now)
  return { type: 'failed', reason }
}

/** A status that arrived before the rest of the answer was lost decides as if all of it had arrived. */
function fromFailure({ reason, sent, status }: Extract<Exchange, { answered: false }>): Outcome {
  if (REFUSED_REASONS.includes(reason)) return { type: 'failed', reason }
  if (status !== undefined) return fromStatus({ answered: true, status, retryAfter: undefined, body: '' }, new Date(0))
  return sent ? { type: 'unknown', reason } : { type: 'retry', reason }
}
