import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MailResult } from '#lib/net/mail/mail.ts'
import type { SafeFetchError } from '#lib/net/safe-fetch-error.ts'
import type { Outcome } from '../model/outcome.ts'
import { classifyPost, classifyPreparation } from './chat/classify-web-api.ts'
import { classifyIncomingWebhook } from './chat/classify-webhook.ts'
import { classifyMail } from './email/classify.ts'
import type { Exchange } from './exchange.ts'
import { classifyAccount, classifyTopicPost } from './forum/classify.ts'
import { classifyWebhook } from './webhook/classify.ts'

const NOW = new Date('2026-05-01T10:00:00Z')
const SECRET = 'hush'

/** Reasons with which a request can end before or after its first byte. */
const REASONS: readonly SafeFetchError['reason'][] = ['dns', 'connect', 'timeout', 'aborted', 'io', 'too_large']
const statuses = fc.oneof(fc.integer({ min: 200, max: 599 }), fc.constantFrom(200, 204, 410, 429, 500, 502, 503, 504))
const bodies = fc.oneof(
  fc.string().map((text) => `${SECRET}${text}`),
  fc.constantFrom(
    'ok',
    '',
    'null',
    '[]',
    '{"ok":true}',
    '{"ok":false}',
    `{"ok":false,"error":"${SECRET} x"}`,
    '{"topic_id":7}',
  ),
)
const answers = fc.record({
  answered: fc.constant(true as const),
  status: statuses,
  retryAfter: fc.oneof(fc.constant(undefined), fc.string(), fc.nat().map(String)),
  body: bodies,
})
const failures = fc.record({
  answered: fc.constant(false as const),
  reason: fc.constantFrom(...REASONS),
  sent: fc.boolean(),
  status: fc.constant(undefined),
})
const brokenAnswers = fc.record({
  answered: fc.constant(false as const),
  reason: fc.constantFrom<SafeFetchError['reason']>('io', 'timeout', 'aborted'),
  sent: fc.constant(true),
  status: statuses,
})
const exchanges: fc.Arbitrary<Exchange> = fc.oneof(answers, failures, brokenAnswers)

/**
 * Whether the receiver may have acted on the request, judged by the protocol alone: it was sent, and no answer of the
 * receiver itself says that it was refused. A gateway cannot say that for the server behind it.
 */
function mayHaveArrived(exchange: Exchange): boolean {
  if (!exchange.answered && exchange.status === undefined) return exchange.sent
  const status = exchange.status!
  return status < 300 || status === 502 || status === 504 || (status >= 520 && status <= 524)
}

const CLASSIFIERS: readonly [string, (exchange: Exchange) => Outcome][] = [
  ['a webhook', (exchange) => classifyWebhook(exchange, NOW)],
  ['an incoming webhook of chat', (exchange) => classifyIncomingWebhook(exchange, NOW)],
]
const check = <T>(of: fc.Arbitrary<T>, property: (value: T) => void) =>
  fc.assert(
    fc.property(of, (value) => {
      property(value)
    }),
    { seed: 15, numRuns: 500 },
  )

/** Reasons stand in the ledger, so they name the fault and carry nothing that the receiver sent. */
function expectShortReason(outcome: Outcome): void {
  if (outcome.type === 'sent') return
  expect(outcome.reason).toMatch(/^[a-z0-9_]{1,60}$/)
  expect(outcome.reason).not.toContain(SECRET)
}

describe.each(CLASSIFIERS)('NO-07 the outcome of a request to %s', (_, classify) => {
  it('leads to another attempt only when the receiver cannot have acted, and is `unknown` only when it may have', () => {
    check(exchanges, (exchange) => {
      const { type } = classify(exchange)
      if (mayHaveArrived(exchange)) expect(['sent', 'unknown']).toContain(type)
      else expect(['retry', 'failed', 'gone']).toContain(type)
      if (type === 'sent') expect(exchange.status).toBeLessThan(300)
    })
  })

  it('names its reason in a short word', () => {
    check(exchanges, (exchange) => expectShortReason(classify(exchange)))
  })
})

describe('NO-10 the outcome of a message to a person', () => {
  it('is `sent` only by the word of the service, and never tried again when the message may have been posted', () => {
    check(exchanges, (exchange) => {
      const outcome = classifyPost(exchange, NOW)
      expectShortReason(outcome)
      if (outcome.type === 'sent') expect(exchange.answered && JSON.parse(exchange.body).ok).toBe(true)
      const isRefused = exchange.answered && exchange.body.startsWith('{"ok":false')
      if (mayHaveArrived(exchange) && !isRefused) expect(['sent', 'unknown']).toContain(outcome.type)
    })
  })

  it('before the message was posted is never `unknown`', () => {
    check(exchanges, (exchange) => {
      const outcome = classifyPreparation(exchange, NOW)
      if (outcome !== 'go on') expect(['retry', 'failed', 'gone']).toContain(outcome.type)
    })
  })
})

describe('NO-11 the outcome of a post in a forum', () => {
  it('is looked up in the forum whenever the post may have been made', () => {
    check(exchanges, (exchange) => {
      const verdict = classifyTopicPost(exchange, NOW)
      if (mayHaveArrived(exchange)) expect(['sent', 'ask_for_topic']).toContain(verdict.type)
      if (verdict.type === 'ask_for_topic') {
        expect(verdict.ifUnclear.type).toBe(mayHaveArrived(exchange) || isServerFault(exchange) ? 'unknown' : 'retry')
        expectShortReason(verdict.ifAbsent)
      }
    })
  })

  it('after a 403 is final only by the word of the forum', () => {
    check(exchanges, (exchange) => {
      const outcome = classifyAccount(exchange)
      expectShortReason(outcome)
      if (outcome.type === 'failed') expect([200, 404]).toContain(exchange.answered && exchange.status)
    })
  })
})

/** Discourse can fail after it made the post, so a 5xx of its own is looked up too. 503 is its read-only mode. */
function isServerFault({ status = 0 }: Exchange): boolean {
  return status >= 500 && status !== 503
}

describe('NO-09 the outcome of a mail', () => {
  const stages = fc.constantFrom('connect', 'login', 'envelope', 'body')
  const results = fc.oneof(
    fc.record({ accepted: fc.constant(true), code: fc.constantFrom(250, 251) }),
    fc.record({
      accepted: fc.constant(false),
      stage: stages,
      reason: fc.constant('reply'),
      code: fc.integer({ min: 400, max: 599 }),
      enhancedCode: fc.constantFrom(undefined, '4.7.1', '5.1.1', '5.1.6', '5.1.10', '5.7.1'),
    }),
    fc.record({
      accepted: fc.constant(false),
      stage: stages,
      reason: fc.constantFrom('lost', 'timeout', 'aborted'),
      code: fc.constant(undefined),
      enhancedCode: fc.constant(undefined),
    }),
  ) as fc.Arbitrary<MailResult>

  it('is `unknown` exactly when it ended in the body without a reply, and `gone` only for the recipient', () => {
    check(results, (result) => {
      const outcome = classifyMail(result)
      expectShortReason(outcome)
      const isOpen = !result.accepted && result.stage === 'body' && result.code === undefined
      expect(outcome.type === 'unknown').toBe(isOpen)
      expect(outcome.type === 'sent').toBe(result.accepted)
      if (outcome.type === 'gone') expect(result).toMatchObject({ stage: 'envelope' })
    })
  })
})
