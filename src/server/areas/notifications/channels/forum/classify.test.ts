import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../model/outcome.ts'
import type { Exchange } from '../exchange.ts'
import { classifyAccount, classifyTopicPost, classifyTopicSearch, type PostVerdict } from './classify.ts'

const NOW = new Date('2026-05-01T10:00:00Z')
const answered = (status: number, body = '', more: { retryAfter?: string; limitCode?: string } = {}): Exchange => {
  return { answered: true, status, retryAfter: undefined, body, ...more }
}
const broken = (reason: 'io' | 'timeout' | 'connect' | 'dns', sent: boolean, status?: number): Exchange => {
  return { answered: false, reason, sent, status }
}
const refused = (reason: 'refused_address' | 'refused_url' | 'redirect'): Exchange => {
  return { answered: false, reason, sent: false, status: undefined }
}
const POSTED = '{"id":7,"topic_id":5}'
const isThere = (reason: string): PostVerdict => ({
  type: 'ask_for_topic',
  ifAbsent: { type: 'retry', reason },
  ifUnclear: { type: 'unknown', reason },
})

describe('NO-11 the answer to a post in a forum', () => {
  it.each<[string, Exchange, PostVerdict]>([
    ['the post', answered(200, POSTED), { type: 'sent' }],
    ['waits for a moderator', answered(200, '{"action":"enqueued","success":true}'), { type: 'sent' }],
    ['a page that is no forum', answered(200, '<html>'), isThere('unexpected_answer')],
    ['an empty answer', answered(204), isThere('unexpected_answer')],
    ['JSON that is no post', answered(200, 'null'), isThere('unexpected_answer')],
    ['bad request', answered(400), { type: 'failed', reason: 'http_400' }],
    ['no such user, or a refused key', answered(403), { type: 'ask_for_account' }],
    ['no forum there', answered(404), { type: 'gone', reason: 'http_404' }],
    ['gone', answered(410), { type: 'gone', reason: 'http_410' }],
    ['too large', answered(413), { type: 'failed', reason: 'http_413' }],
    [
      'not valid, or posted before',
      answered(422),
      {
        type: 'ask_for_topic',
        ifAbsent: { type: 'failed', reason: 'http_422' },
        ifUnclear: { type: 'retry', reason: 'http_422' },
      },
    ],
    ['request timeout', answered(408), { type: 'retry', reason: 'http_408' }],
    ['too early', answered(425), { type: 'retry', reason: 'http_425' }],
    [
      'limit of the key',
      answered(429, '', { retryAfter: '40', limitCode: 'admin_api_key_rate_limit' }),
      { type: 'retry', reason: 'http_429', retryAfterSeconds: 40 },
    ],
    [
      'limit of the author',
      answered(429, '', { retryAfter: '7200' }),
      { type: 'retry', reason: 'http_429', retryAfterSeconds: 7200, isOurFault: true },
    ],
    [
      'read-only',
      answered(503, '', { retryAfter: '30' }),
      { type: 'retry', reason: 'http_503', retryAfterSeconds: 30 },
    ],
    ['error of the forum', answered(500), isThere('http_500')],
    ['bad gateway', answered(502), isThere('http_502')],
    ['gateway timeout', answered(504), isThere('http_504')],
    ['reset after the request was sent', broken('io', true), isThere('io')],
    ['no answer in time', broken('timeout', true), isThere('timeout')],
    ['an answer that was cut off', broken('io', true, 200), isThere('unexpected_answer')],
    ['a refusal that was cut off', broken('io', true, 403), { type: 'ask_for_account' }],
    ['no connection', broken('connect', false), { type: 'retry', reason: 'connect' }],
    ['no such name', broken('dns', false), { type: 'retry', reason: 'dns' }],
    ['no connection in time', broken('timeout', false), { type: 'retry', reason: 'timeout' }],
    ['a private address', refused('refused_address'), { type: 'failed', reason: 'refused_address' }],
    ['a bad address', refused('refused_url'), { type: 'failed', reason: 'refused_url' }],
    ['a redirect', refused('redirect'), { type: 'failed', reason: 'redirect' }],
  ])('%s', (_, exchange, verdict) => {
    expect(classifyTopicPost(exchange, NOW)).toEqual(verdict)
  })
})

describe('NO-11 the answer to the question for a topic', () => {
  it.each<[string, Exchange, 'present' | 'absent' | 'unclear']>([
    ['the topic', answered(200, '{"id":5,"external_id":"evt_1"}'), 'present'],
    ['another topic', answered(200, '{"id":5,"external_id":"evt_12"}'), 'unclear'],
    ['a page that is no topic', answered(200, '<html>evt_1</html>'), 'unclear'],
    ['no such topic', answered(404), 'absent'],
    ['a refused key', answered(403), 'unclear'],
    ['a limit', answered(429), 'unclear'],
    ['a gateway', answered(502), 'unclear'],
    ['a redirect to elsewhere', refused('redirect'), 'unclear'],
    ['no answer', broken('timeout', true), 'unclear'],
    ['no connection', broken('connect', false), 'unclear'],
  ])('%s', (_, exchange, found) => {
    expect(classifyTopicSearch(exchange, 'evt_1')).toBe(found)
  })
})

describe('NO-11 the answer to the question for an account, after a post was refused with 403', () => {
  it.each<[string, Exchange, Outcome]>([
    ['an account that may not post', answered(200), { type: 'failed', reason: 'http_403' }],
    ['no account', answered(404), { type: 'failed', reason: 'no_forum_account' }],
    ['a refused key', answered(403), { type: 'retry', reason: 'forum_key_refused' }],
    ['a limit', answered(429), { type: 'retry', reason: 'http_403' }],
    ['no answer', broken('timeout', true), { type: 'retry', reason: 'http_403' }],
  ])('%s', (_, exchange, outcome) => {
    expect(classifyAccount(exchange)).toEqual(outcome)
  })
})
