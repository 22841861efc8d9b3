import { describe, expect, it } from 'vitest'
import { requestOf } from './request-line.ts'
import { createWorkReader } from './work-line.ts'

describe('MA-30 a line about a request', () => {
  it.each([
    ['GET /orders/17?full=1 200 35ms', 'GET /orders/:id', 200, 35],
    ['2026-11-15 INFO POST /pay -> 502 in 1.5s', 'POST /pay', 502, 1500],
    ['10.0.0.1 - - [15/Nov/2026] "GET / HTTP/1.1" 200 512 "-" "curl"', 'GET /', 200, undefined],
    ['level=info method=GET path=/a status=200 duration=12.5ms', 'GET /a', 200, 12.5],
    ['time=2026-11-15T10:00:00Z level=info method=GET path=/a status=200 duration_ms=12', 'GET /a', 200, 12],
    ['{"req":{"method":"GET","url":"/a?b=1"},"res":{"statusCode":500},"responseTime":7}', 'GET /a', 500, 7],
    ['{"method":"get","path":"/a/3f2504e0-4f89","status":"204","duration":"1.2s","x":"GET"}', 'GET /a/:id', 204, 1200],
    ['{"level":"info","msg":"GET /a 200 9ms"}', 'GET /a', 200, 9],
    ['at=info method=POST path="/pay" dyno=web.1 connect=0ms service=46ms status=201', 'POST /pay', 201, 46],
    ['method=GET path=/a status=200 request_time=0.250', 'GET /a', 200, 250],
    ['10.0.0.1 - - [15/Nov/2026] "GET /a HTTP/1.1" 200 512 "-" "curl" 0.250', 'GET /a', 200, 250],
    ['Request finished HTTP/2 GET https://a.test/b/7?c=1 - 200 - application/json 12.5ms', 'GET /b/:id', 200, 12.5],
    ['[GIN] 2026/11/15 - 10:00:00 | 200 |   1.5ms |  10.0.0.1 | GET      "/a"', 'GET /a', 200, 1.5],
    ['{"method":"GET","uri":"/a","status":200,"request_time":0.25}', 'GET /a', 200, 250],
  ])('%j is read', (text, endpoint, status, durationMs) => {
    expect(requestOf(text)).toEqual({ endpoint, status, durationMs })
  })

  it.each([['started'], ['GET ready for winter'], ['{"method":"GET"}'], ['cannot GET /favicon.ico']])(
    '%j is none',
    (text) => {
      expect(requestOf(text)).toBeUndefined()
    },
  )

  it('without a unit keeps the number as it is', () => {
    const text = '10.0.0.1 - - [15/Nov/2026] "GET /a HTTP/1.1" 200 512 1834'
    expect(requestOf(text)).toEqual({ endpoint: 'GET /a', status: 200, durationMs: undefined, plainDuration: 1834 })
  })

  it.each<[string, string[], (string | number | undefined)[]]>([
    [
      'Rails, by the tag of the request',
      [
        '[0c1f6e2b-4d55] Started GET "/a/7" for 10.0.0.1',
        '[5f3a77c0-4c7e] Started GET "/b" for 10.0.0.1',
        '[0c1f6e2b-4d55] Completed 200 OK in 35ms (Views: 3.1ms)',
      ],
      ['GET /a/:id', 200, 35],
    ],
    ['Phoenix', ['request_id=F7 [info] GET /a', 'request_id=F7 [info] Sent 200 in 850µs'], ['GET /a', 200, 0.85]],
    ['Rails without its beginning', ['Completed 500 Internal Server Error in 9ms'], ['requests', 500, 9]],
    ['Celery', ['Task shop.mail[0c1f6e2b] succeeded in 2.5s: None'], ['job shop.mail', undefined, 2_500]],
    ['Sidekiq', ['pid=7 class=Shop::Mail jid=0c elapsed=1.25 INFO: done'], ['job Shop::Mail', undefined, 1_250]],
  ])('that ends is read: %s', (_, lines, [endpoint, status, durationMs]) => {
    const read = createWorkReader()
    expect(lines.map(read).at(-1)).toEqual({ endpoint, status, durationMs })
  })

  it('of a hostile length is read at once', () => {
    const hostile = [
      `GET /${'a'.repeat(500_000)}`,
      `GET / ${'1'.repeat(500_000)}`,
      `{"GET":${'['.repeat(100_000)}`,
      'method='.repeat(100_000),
      `method=GET path=/a duration=${'1.'.repeat(200_000)}`,
    ]
    for (const text of hostile) expect(requestOf(text)?.durationMs).toBeUndefined()
  })
})
