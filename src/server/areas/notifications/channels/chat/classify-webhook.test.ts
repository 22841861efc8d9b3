import { expect, it } from 'vitest'
import type { Outcome } from '../../model/outcome.ts'
import type { Exchange } from '../exchange.ts'
import { classifyIncomingWebhook } from './classify-webhook.ts'

const now = new Date('2026-11-15T12:00:00Z')
const answer = (status: number, body: string, retryAfter?: string): Exchange => ({
  answered: true,
  status,
  retryAfter,
  body,
})
const failure = (
  reason: Extract<Exchange, { answered: false }>['reason'],
  sent: boolean,
  status?: number,
): Exchange => ({ answered: false, reason, sent, status })

it.each<[string, Exchange, Outcome]>([
  ['200 ok', answer(200, 'ok'), { type: 'sent' }],
  [
    '429 with a wish',
    answer(429, 'rate_limited', '30'),
    { type: 'retry', reason: 'rate_limited', retryAfterSeconds: 30 },
  ],
  ['429 without a word', answer(429, '', '7'), { type: 'retry', reason: 'http_429', retryAfterSeconds: 7 }],
  ['429 ratelimited', answer(429, 'ratelimited'), { type: 'retry', reason: 'ratelimited' }],
  ['500 rollup_error', answer(500, 'rollup_error'), { type: 'retry', reason: 'rollup_error' }],
  ['500 without a word', answer(500, 'oops'), { type: 'retry', reason: 'http_500' }],
  ['503', answer(503, 'unavailable'), { type: 'retry', reason: 'http_503' }],
  ['400 invalid_payload', answer(400, 'invalid_payload'), { type: 'failed', reason: 'invalid_payload' }],
  ['400 invalid_blocks', answer(400, 'invalid_blocks'), { type: 'failed', reason: 'invalid_blocks' }],
  ['400 no_text', answer(400, 'no_text'), { type: 'failed', reason: 'no_text' }],
  ['400 user_not_found', answer(400, 'user_not_found'), { type: 'failed', reason: 'user_not_found' }],
  ['403 action_prohibited', answer(403, 'action_prohibited'), { type: 'failed', reason: 'action_prohibited' }],
  [
    '403 posting_to_general_channel_denied',
    answer(403, 'posting_to_general_channel_denied'),
    { type: 'failed', reason: 'posting_to_general_channel_denied' },
  ],
  ['404 no_service', answer(404, 'no_service'), { type: 'gone', reason: 'no_service' }],
  ['404 no_service and a line break', answer(404, 'no_service\n'), { type: 'gone', reason: 'no_service' }],
  ['404 no_service_id', answer(404, 'no_service_id'), { type: 'gone', reason: 'no_service_id' }],
  ['404 no_active_hooks', answer(404, 'no_active_hooks'), { type: 'gone', reason: 'no_active_hooks' }],
  ['404 no_team', answer(404, 'no_team'), { type: 'gone', reason: 'no_team' }],
  ['404 team_disabled', answer(404, 'team_disabled'), { type: 'gone', reason: 'team_disabled' }],
  ['404 channel_not_found', answer(404, 'channel_not_found'), { type: 'gone', reason: 'channel_not_found' }],
  ['403 invalid_token', answer(403, 'invalid_token'), { type: 'gone', reason: 'invalid_token' }],
  ['410 channel_is_archived', answer(410, 'channel_is_archived'), { type: 'gone', reason: 'channel_is_archived' }],
  ['200 no_service', answer(200, 'no_service'), { type: 'gone', reason: 'no_service' }],
  ['404 without a known word', answer(404, '<html>'), { type: 'failed', reason: 'http_404' }],
  ['403 without a known word', answer(403, 'constructor'), { type: 'failed', reason: 'http_403' }],
  ['410 without a known word', answer(410, ''), { type: 'gone', reason: 'http_410' }],
  ['502', answer(502, ''), { type: 'unknown', reason: 'http_502' }],
  ['504', answer(504, ''), { type: 'unknown', reason: 'http_504' }],
  ['no answer in time', failure('timeout', true), { type: 'unknown', reason: 'timeout' }],
  ['a connection that broke', failure('io', true), { type: 'unknown', reason: 'io' }],
  ['a refused connection', failure('connect', false), { type: 'retry', reason: 'connect' }],
  ['a name that does not resolve', failure('dns', false), { type: 'retry', reason: 'dns' }],
  ['a private address', failure('refused_address', false), { type: 'failed', reason: 'refused_address' }],
  ['a redirect', failure('redirect', false, 302), { type: 'failed', reason: 'redirect' }],
  ['404 whose body broke off', failure('io', true, 404), { type: 'failed', reason: 'http_404' }],
])('NO-10 an incoming webhook that gives %s', (_, exchange, outcome) => {
  expect(classifyIncomingWebhook(exchange, now)).toEqual(outcome)
})
