import { expect, it } from 'vitest'
import type { Outcome } from '../../model/outcome.ts'
import type { Exchange } from '../exchange.ts'
import { classifyWebhook } from './classify.ts'

const now = new Date('2026-11-15T12:00:00Z')
const answer = (status: number, retryAfter?: string): Exchange => ({ answered: true, status, retryAfter, body: '' })
const failure = (
  reason: Extract<Exchange, { answered: false }>['reason'],
  sent: boolean,
  status?: number,
): Exchange => ({
  answered: false,
  reason,
  sent,
  status,
})

it.each<[string, Exchange, Outcome]>([
  ['200', answer(200), { type: 'sent' }],
  ['202', answer(202), { type: 'sent' }],
  ['204', answer(204), { type: 'sent' }],
  ['400', answer(400), { type: 'failed', reason: 'http_400' }],
  ['401', answer(401), { type: 'failed', reason: 'http_401' }],
  ['404', answer(404), { type: 'failed', reason: 'http_404' }],
  ['408', answer(408), { type: 'retry', reason: 'http_408' }],
  ['410', answer(410), { type: 'gone', reason: 'http_410' }],
  ['425', answer(425), { type: 'retry', reason: 'http_425' }],
  ['429 with a wish', answer(429, '30'), { type: 'retry', reason: 'http_429', retryAfterSeconds: 30 }],
  ['429 without one', answer(429), { type: 'retry', reason: 'http_429' }],
  ['500', answer(500), { type: 'retry', reason: 'http_500' }],
  ['501', answer(501), { type: 'retry', reason: 'http_501' }],
  ['502', answer(502), { type: 'unknown', reason: 'http_502' }],
  ['503 with a wish', answer(503, '120'), { type: 'retry', reason: 'http_503', retryAfterSeconds: 120 }],
  ['504', answer(504), { type: 'unknown', reason: 'http_504' }],
  ['520', answer(520), { type: 'unknown', reason: 'http_520' }],
  ['524', answer(524), { type: 'unknown', reason: 'http_524' }],
  ['a name that does not resolve', failure('dns', false), { type: 'retry', reason: 'dns' }],
  ['a refused connection', failure('connect', false), { type: 'retry', reason: 'connect' }],
  ['a connection that takes too long', failure('timeout', false), { type: 'retry', reason: 'timeout' }],
  ['a stop before the connection', failure('aborted', false), { type: 'retry', reason: 'aborted' }],
  ['a private address', failure('refused_address', false), { type: 'failed', reason: 'refused_address' }],
  ['an address that cannot be used', failure('refused_url', false), { type: 'failed', reason: 'refused_url' }],
  ['a redirect that is not followed', failure('redirect', false, 303), { type: 'failed', reason: 'redirect' }],
  ['no answer in time', failure('timeout', true), { type: 'unknown', reason: 'timeout' }],
  ['a connection that broke', failure('io', true), { type: 'unknown', reason: 'io' }],
  ['a stop while the answer was awaited', failure('aborted', true), { type: 'unknown', reason: 'aborted' }],
  ['headers that are too large', failure('too_large', true), { type: 'unknown', reason: 'too_large' }],
  ['200 whose body broke off', failure('io', true, 200), { type: 'sent' }],
  ['410 whose body broke off', failure('io', true, 410), { type: 'gone', reason: 'http_410' }],
  ['503 whose body did not end', failure('timeout', true, 503), { type: 'retry', reason: 'http_503' }],
])('NO-07 a webhook that gives %s', (_, exchange, outcome) => {
  expect(classifyWebhook(exchange, now)).toEqual(outcome)
})
