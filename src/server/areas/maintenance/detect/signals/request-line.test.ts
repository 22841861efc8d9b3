import { describe, expect, it } from 'vitest'
import { requestOf } from './request-line.ts'

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
  ])('%j is read', (text, endpoint, status, durationMs) => {
    expect(requestOf(text)).toEqual({ endpoint, status, durationMs })
  })

  it.each([['started'], ['GET ready for winter'], ['{"method":"GET"}'], ['cannot GET /favicon.ico']])(
    '%j is none',
    (text) => {
      expect(requestOf(text)).toBeUndefined()
    },
  )

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
