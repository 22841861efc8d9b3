import { expect, it } from 'vitest'
import type { Outcome } from '../../model/outcome.ts'
import type { Exchange } from '../exchange.ts'
import { classifyPost, classifyPreparation, isDeactivated } from './classify-web-api.ts'

const now = new Date('2026-11-15T12:00:00Z')
const answer = (status: number, body: object | string, retryAfter?: string): Exchange => ({
  answered: true,
  status,
  retryAfter,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const error = (name: string, status = 200): Exchange => answer(status, { ok: false, error: name })
const failure = (
  reason: Extract<Exchange, { answered: false }>['reason'],
  sent: boolean,
  status?: number,
): Exchange => ({ answered: false, reason, sent, status })

const BROKEN = { type: 'gone', reason: 'chat_installation_broken' } as const
const INACTIVE = { type: 'gone', reason: 'chat_account_inactive' } as const
const failed = (reason: string): Outcome => ({ type: 'failed', reason })
const retry = (reason: string): Outcome => ({ type: 'retry', reason })
const unknown = (reason: string): Outcome => ({ type: 'unknown', reason })

it.each<[string, Exchange, Outcome, Outcome | 'go on']>([
  ['ok', answer(200, { ok: true, ts: '1.1' }), { type: 'sent' }, 'go on'],
  ['ratelimited', error('ratelimited'), retry('ratelimited'), retry('ratelimited')],
  ['rate_limited', error('rate_limited'), retry('rate_limited'), retry('rate_limited')],
  [
    '429 with a wish',
    answer(429, { ok: false, error: 'ratelimited' }, '30'),
    { type: 'retry', reason: 'ratelimited', retryAfterSeconds: 30 },
    { type: 'retry', reason: 'ratelimited', retryAfterSeconds: 30 },
  ],
  [
    '429 without a body',
    answer(429, '', '9'),
    { type: 'retry', reason: 'http_429', retryAfterSeconds: 9 },
    { type: 'retry', reason: 'http_429', retryAfterSeconds: 9 },
  ],
  ['service_unavailable', error('service_unavailable'), retry('service_unavailable'), retry('service_unavailable')],
  ['request_timeout', error('request_timeout'), retry('request_timeout'), retry('request_timeout')],
  ['team_added_to_org', error('team_added_to_org'), retry('team_added_to_org'), retry('team_added_to_org')],
  ['msg_too_long', error('msg_too_long'), failed('msg_too_long'), failed('msg_too_long')],
  ['invalid_blocks', error('invalid_blocks'), failed('invalid_blocks'), failed('invalid_blocks')],
  ['missing_scope', error('missing_scope'), failed('missing_scope'), failed('missing_scope')],
  ['restricted_action', error('restricted_action'), failed('restricted_action'), failed('restricted_action')],
  ['not_in_channel', error('not_in_channel'), failed('not_in_channel'), failed('not_in_channel')],
  ['an error nobody has named yet', error('brand_new'), failed('brand_new'), failed('brand_new')],
  ['an error that is no name', error('<b>x</b> y'), failed('unnamed_error'), failed('unnamed_error')],
  ['an error named like a method of objects', error('constructor'), failed('constructor'), failed('constructor')],
  ['account_inactive', error('account_inactive'), BROKEN, BROKEN],
  ['token_revoked', error('token_revoked'), BROKEN, BROKEN],
  ['token_expired', error('token_expired'), BROKEN, BROKEN],
  ['invalid_auth', error('invalid_auth'), BROKEN, BROKEN],
  ['not_authed', error('not_authed'), BROKEN, BROKEN],
  ['team_access_not_granted', error('team_access_not_granted'), BROKEN, BROKEN],
  ['user_disabled', error('user_disabled'), INACTIVE, INACTIVE],
  ['user_not_found', error('user_not_found'), INACTIVE, INACTIVE],
  ['user_not_visible', error('user_not_visible'), INACTIVE, INACTIVE],
  ['internal_error', error('internal_error'), unknown('internal_error'), retry('internal_error')],
  ['fatal_error', error('fatal_error'), unknown('fatal_error'), retry('fatal_error')],
  ['500 with an error', error('internal_error', 500), unknown('internal_error'), retry('internal_error')],
  ['500', answer(500, ''), retry('http_500'), retry('http_500')],
  ['503', answer(503, ''), retry('http_503'), retry('http_503')],
  ['502', answer(502, ''), unknown('http_502'), retry('http_502')],
  ['504', answer(504, ''), unknown('http_504'), retry('http_504')],
  ['404', answer(404, ''), failed('http_404'), failed('http_404')],
  ['410', answer(410, ''), failed('http_410'), failed('http_410')],
  ['200 that is no JSON', answer(200, '<html>'), unknown('unreadable_answer'), retry('unreadable_answer')],
  ['200 without ok', answer(200, { fine: 1 }), unknown('unreadable_answer'), retry('unreadable_answer')],
  ['200 whose body broke off', failure('io', true, 200), unknown('unreadable_answer'), retry('unreadable_answer')],
  ['no answer in time', failure('timeout', true), unknown('timeout'), retry('timeout')],
  ['a connection that broke', failure('io', true), unknown('io'), retry('io')],
  ['a refused connection', failure('connect', false), retry('connect'), retry('connect')],
  ['a redirect', failure('redirect', false, 302), failed('redirect'), failed('redirect')],
])('NO-10 a chat service that answers %s', (_, exchange, posted, prepared) => {
  expect(classifyPost(exchange, now)).toEqual(posted)
  expect(classifyPreparation(exchange, now)).toEqual(prepared)
})

it.each<[string, Exchange, boolean]>([
  ['a deactivated account', answer(200, { ok: true, user: { deleted: true } }), true],
  ['an active account', answer(200, { ok: true, user: { deleted: false } }), false],
  ['no account', answer(200, { ok: true }), false],
  ['no answer', failure('io', true), false],
])('NO-10 users.info that answers with %s', (_, exchange, expected) => {
  expect(isDeactivated(exchange)).toBe(expected)
})
