import { expect, it } from 'vitest'
import { statedLevel } from './stated-level.ts'

it.each([
  ['ERROR payment failed', 'error'],
  ['[warn] slow query', 'warn'],
  ['2026-11-16 02:06:01,123 INFO started', 'info'],
  ['{"level":"error","message":"x"}', 'error'],
  ['{"level":30,"msg":"x"}', 'info'],
  ['level=error msg="not sent"', 'error'],
  ['time=2026-11-16T02:06:01Z level="warn" msg=slow', 'warn'],
  ['[2026-01-31T10:00:00.000000+00:00] request.CRITICAL: Uncaught PHP Exception', 'error'],
  ['[2026-01-31 10:00:00] production.ERROR: no such table', 'error'],
  ['[31-Jan-2026 10:00:00] NOTICE: fpm is running, pid 1', 'info'],
  ['[31-Jan-2026 10:00:00 UTC] PHP Warning:  Undefined variable', 'warn'],
  ['PHP Fatal error:  Uncaught TypeError: x', 'error'],
  ['31-Jan-2026 10:00:00.123 SEVERE [main] o.a.c.core.StandardService.start failed', 'error'],
  ['2026/01/31 10:00:00 [error] 31#31: *7 connect() failed', 'error'],
  ['[Sat Jan 31 10:00:00.123456 2026] [php:error] [pid 17] failed', 'error'],
  ['[2026-01-31 10:00:00 +0000] [17] [CRITICAL] WORKER TIMEOUT (pid:18)', 'error'],
  ['[2026-01-31 10:00:00,123: WARNING/ForkPoolWorker-1] careful', 'warn'],
  ['2026-01-31T10:00:00.123Z pid=7 tid=abc class=MailJob jid=0af3 INFO: done', 'info'],
  ['E, [2026-01-31T10:00:00.123456 #71] ERROR -- : no such user', 'error'],
  ['2026-01-31 10:00:00,123 - shop.orders - ERROR - failed', 'error'],
  ['2026-01-31 10:00:00.123 UTC [31] ERROR:  relation does not exist', 'error'],
  ['10:00:00.123 request_id=F7xk [error] GenServer terminating', 'error'],
  ['[10:00:00 WRN] slow', 'warn'],
  ['E0131 10:00:00.123456       1 server.go:12] failed', 'error'],
  ['fail: Shop.Api.Client[0]', 'error'],
  ['info: Microsoft.Hosting.Lifetime[14]', 'info'],
  ['{"message":"x","level":400,"level_name":"ERROR"}', 'error'],
  ['{"message":"x","level":200}', 'info'],
  ['{"@timestamp":"2026-01-31","log.level":"ERROR","message":"x"}', 'error'],
  ['{"@t":"2026-01-31","@mt":"x","@l":"Warning"}', 'warn'],
  ['10.0.0.1 - - [31/Jan/2026:10:00:00 +0000] "GET /error HTTP/1.1" 200 512', undefined],
  ['order-7 could not be ERROR free', undefined],
  ['fails: three', undefined],
  ['the level=unknown to us', undefined],
  ['payment failed', undefined],
  ['', undefined],
])('MA-15 the level of %j is %s', (line, level) => {
  expect(statedLevel(line)).toBe(level)
})

it('MA-15 lines of blanks or dashes cost no more than others: thousands of them are read', () => {
  const lines = Array.from({ length: 5_000 }, (_, n) => (n % 2 ? ' ' : '- ').repeat(16_000))
  expect(lines.filter((line) => statedLevel(line) !== undefined)).toEqual([])
})
