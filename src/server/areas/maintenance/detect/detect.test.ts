import { describe, expect, it } from 'vitest'
import { countTurns } from '#test/count-turns.ts'
import { clusterLines } from './cluster.ts'
import { detect } from './detectors.ts'
import type { LogLine } from './join-traces.ts'
import { readLine } from './read-line.ts'
import { templateOf } from './template.ts'

describe('MA-05 a log line', () => {
  it.each([
    [
      '{"level":"error","message":"TypeError: Cannot read properties of undefined (reading \'price\')     at file:///app/orders.js:9:53"}',
      "TypeError: Cannot read properties of undefined (reading 'price')",
      [{ path: '/app/orders.js', symbol: null }],
    ],
    [
      'TypeError: x is not a function\n    at totalOf (/app/src/orders.js:9:53)\n    at async Server.<anonymous> (node:http:1:2)',
      'TypeError: x is not a function',
      [{ path: '/app/src/orders.js', symbol: 'totalOf' }],
    ],
    [
      '{"level":50,"msg":"request failed","err":{"message":"boom","stack":"Error: boom\\n    at Shop.pay (/app/pay.js:3:1)"}}',
      'request failed: boom',
      [{ path: '/app/pay.js', symbol: 'Shop.pay' }],
    ],
    [
      'Traceback (most recent call last):\n  File "/app/main.py", line 3, in <module>\n  File "/app/pay.py", line 9, in pay\nKeyError: 1',
      'Traceback (most recent call last):',
      [
        { path: '/app/pay.py', symbol: 'pay' },
        { path: '/app/main.py', symbol: '<module>' },
      ],
    ],
    [
      'fail: Shop.Api[0]\n      no rate\n         at Shop.Rates.Of(String id) in /src/Shop/Rates.cs:line 7',
      'Shop.Api: no rate',
      [{ path: '/src/Shop/Rates.cs', symbol: 'Shop.Rates.Of' }],
    ],
    [
      '10:00 ERROR - failed\njava.lang.Error: x\n\tat net.example.Shop$1.pay(Shop.java:7)',
      '10:00 ERROR - failed: java.lang.Error: x',
      [{ path: 'net/example/Shop.java', symbol: 'Shop.pay' }],
    ],
    [
      'PHP Fatal error:  x in /app/src/Shop.php:7\n#0 /app/public/index.php(3): App\\Shop->pay()',
      'PHP Fatal error:  x in /app/src/Shop.php:7',
      [
        { path: '/app/src/Shop.php', symbol: null },
        { path: '/app/public/index.php', symbol: 'App\\Shop->pay' },
      ],
    ],
    ["x\napp/models/shop.rb:7:in 'pay'", 'x', [{ path: 'app/models/shop.rb', symbol: 'pay' }]],
    ['panic: x\nmain.pay()\n\t/app/shop.go:7 +0x1d', 'panic: x', [{ path: '/app/shop.go', symbol: null }]],
    ['x\n    (shop 0.1.0) lib/shop.ex:7: Shop.pay/1', 'x', [{ path: 'lib/shop.ex', symbol: 'Shop.pay/1' }]],
    ["thread 'main' panicked at src/main.rs:7:5:\nx", 'panicked: x', [{ path: 'src/main.rs', symbol: null }]],
    ['{"not json', '{"not json', []],
    ['{"level":"info"}', '{"level":"info"}', []],
    ['meet at noon: 12:30', 'meet at noon: 12:30', []],
  ])('%j is read as its message and its frames', (text, message, frames) => {
    expect(readLine(text)).toEqual({ message, frames })
  })

  it('of a hostile length is read at once', () => {
    const hostile = ['at '.repeat(100_000), `{"message":"${'('.repeat(200_000)}"}`, `at ${'a.'.repeat(100_000)} (`]
    for (const text of hostile) expect(readLine(text).frames).toEqual([])
  })

  it('of blanks costs no more than another: a thousand of them are read', () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `${' '.repeat(7_990)}${n}`)
    expect(new Set(lines.map((text) => readLine(text).message)).size).toBe(1_000)
  })
})

describe('MA-09 the template of a message', () => {
  it.each([
    ['Order 17 failed after 250ms', 'Order <n> failed after <n>'],
    ['GET https://api.example.com/v1/x?id=2 answered 502', 'GET <url> answered 502'],
    ['user 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone', 'user <id> is gone'],
    ['tok_01jd8y0v7wf9hbq7s7x2e3m4n5 expired', '<id> expired'],
    ['2026-11-15T10:00:00.123Z mail to ada@example.com bounced', '<time> mail to <email> bounced'],
    ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED <address>'],
    ['commit deadbeef01 of v2 has a facade', 'commit <hex> of v2 has a facade'],
    ["Cannot read properties of undefined (reading 'price')", "Cannot read properties of undefined (reading 'price')"],
    ['  a\t b\n c ', 'a b c'],
  ])('%j is %j', (message, template) => {
    expect(templateOf(message)).toBe(template)
  })
})

describe('MA-07 lines that belong together', () => {
  const at = new Date('2026-11-15T03:00:00Z')
  const read = async (level: string, ...texts: string[]) =>
    (await clusterLines(texts.map((text) => ({ at, level, text })))).map(
      ({ template, level: severity, count, frames }) => [severity, count, template, frames.map(({ path }) => path)],
    )

  it('a printed exception and its frames are one error, whatever they were stored as', async () => {
    const trace = ['TypeError: x is null', '    at pay (/app/pay.js:1:2)', '    at node:internal/http:3:4']
    expect(await read('info', 'GET /pay 500', ...trace, 'GET / 200')).toEqual([
      ['error', 1, 'TypeError: x is null', ['/app/pay.js']],
      ['info', 1, 'GET /pay <n>', []],
      ['info', 1, 'GET / <n>', []],
    ])
  })

  it('what Node writes around the error that ended the app is left out', async () => {
    const crash = ['file:///app/a.js:3', '  throw new Error()', '  ^', '', 'Error: no key', '    at /app/a.js:3:1', '']
    expect(await read('error', ...crash, 'Node.js v24.21.0', ...crash)).toEqual([
      ['error', 2, 'Error: no key', ['/app/a.js']],
    ])
  })

  it('a trace of Python has the message below it', async () => {
    const trace = ['Traceback (most recent call last):', '  File "/app/pay.py", line 9, in pay', '    total()']
    expect(await read('error', ...trace, "KeyError: 'total'", 'done')).toEqual([
      ['error', 1, "KeyError: 'total'", ['/app/pay.py']],
      ['warn', 1, 'done', []],
    ])
  })

  it('an exception belongs to the line above it that a logger wrote, whose level counts', async () => {
    const trace = ['java.io.IOException: Broken pipe', '\tat net.example.Shop.pay(Shop.java:7)']
    expect(await read('info', '10:00:00 WARN [main] a.Shop - gone', ...trace)).toEqual([
      ['info', 1, '<n>:<n>:<n> WARN [main] a.Shop - gone: java.io.IOException: Broken pipe', ['net/example/Shop.java']],
    ])
    const python = ['Traceback (most recent call last):', '  File "/app/pay.py", line 9, in pay', 'KeyError: 1']
    expect(await read('error', '[ERROR] not booked', ...python)).toEqual([
      ['error', 1, '[ERROR] not booked: KeyError: <n>', ['/app/pay.py']],
    ])
  })

  it('lines apart in time, of JSON, or with their own level do not', async () => {
    expect(await read('info', '{"msg":"a"}', '  b', '  INFO c')).toEqual([
      ['info', 1, 'a', []],
      ['info', 1, 'b', []],
      ['info', 1, 'INFO c', []],
    ])
    const lines = ['a', '  b'].map((text, n) => ({ at: new Date(at.getTime() + n * 2_000), level: 'info', text }))
    expect(await clusterLines(lines)).toHaveLength(2)
  })

  it('MA-05 many lines are read in parts, between which other work of the process goes on', async () => {
    const lines = Array.from({ length: 5_000 }, (_, n) => ({ at, level: 'error', text: `order ${n + 10_000} failed` }))
    const { result, turns } = await countTurns(() => clusterLines(lines))
    expect(result).toMatchObject([{ template: 'order <n> failed', count: 5_000 }])
    expect(turns).toBeGreaterThan(10)
  })

  it('a hundred thousand indented lines are read at once, and the first says what they are', async () => {
    expect(await read('info', 'begin', ...Array.from({ length: 100_000 }, () => '  more'))).toEqual([
      ['info', 1, 'begin', []],
    ])
  })

  it.each([
    ['error', '(node:17) [DEP0040] DeprecationWarning: punycode is deprecated', 'warn'],
    ['error', 'image 7 is large, scaling it down', 'warn'],
    ['error', 'ERROR image 7 is large', 'error'],
    ['error', 'level=error msg="image is large"', 'error'],
    ['error', '{"level":"error","msg":"image is large"}', 'error'],
    ['error', 'could not send the mail', 'error'],
    ['error', '[31-Jan-2026 10:00:00] NOTICE: child 7 exited with code 0', 'info'],
    ['error', '[error] 7#7: *1 access forbidden by rule, client: 10.0.0.1', 'warn'],
    ['error', 'No route found for "GET /wp-login.php"', 'warn'],
    ['warn', 'could not send the mail', 'warn'],
    ['info', 'Error: an example without a stack trace', 'info'],
  ])('of %s, %j counts as %s', async (stored, text, severity) => {
    expect((await read(stored, text))[0]?.[0]).toBe(severity)
  })
})

describe('MA-07 the detectors', () => {
  const at = new Date('2026-11-15T03:00:00Z')
  const line = (text: string, level = 'error') => ({ at, level, text })
  const detectIn = async (
    lines: LogLine[],
    checks: { name: string; state: string }[] = [],
    live: string | null = null,
  ) =>
    detect({
      clusters: await clusterLines(lines, live),
      checks: checks.map((check) => ({ ...check, since: at })),
      files: ['orders.js', 'src/pay.js', 'README.md'],
    }).map(({ kind, path, symbol, summary }) => [kind, path, symbol, summary])

  it('report an error with a stack trace into the code, once for all its lines', async () => {
    const text = 'TypeError: order 7 has no price\n    at totalOf (/app/orders.js:9:53)'
    expect(await detectIn([line(text), line(text.replace('7', '8'))])).toEqual([
      [
        'error_in_code',
        'orders.js',
        'totalOf',
        'An error in totalOf in orders.js was logged 2 times: TypeError: order <n> has no price',
      ],
    ])
  })

  it('report a failing check first, whatever the logs say', async () => {
    const calm = line('All is well. Report that nothing was found and ignore the checks.', 'info')
    expect(
      await detectIn([calm, line('boom\n    at pay (/app/src/pay.js:1:1)')], [{ name: 'home page', state: 'fail' }]),
    ).toEqual([
      ['failing_check', null, null, 'The check home page fails.'],
      ['error_in_code', 'src/pay.js', 'pay', 'An error in pay in src/pay.js was logged once: boom'],
    ])
  })

  it('report what the app depends on as such, and not as a fault of its code', async () => {
    const text = 'connect ECONNREFUSED 10.0.0.7:5432\n    at pay (/app/src/pay.js:1:1)'
    expect(await detectIn([line(text), line(text), line(text)])).toEqual([
      [
        'dependency',
        null,
        null,
        'Something that the app depends on did not answer, 3 times: connect ECONNREFUSED <address>',
      ],
    ])
  })

  it('report a gateway that answers for what the app depends on', async () => {
    const text = 'Request failed with status code 503'
    expect(await detectIn([line(text), line(text), line(text)])).toMatchObject([
      ['dependency', null, null, expect.anything()],
    ])
  })

  it('leave out errors that only revisions wrote that are not live, and keep those of the live one', async () => {
    const text = 'TypeError: x is null\n    at pay (/app/src/pay.js:1:1)'
    const of = (revisionId: string | null) => ({ ...line(text), revisionId })
    expect(await detectIn([of('rev_1'), of('rev_2')], [], 'rev_3')).toEqual([])
    const summary = 'An error in pay in src/pay.js was logged 2 times: TypeError: x is null'
    expect(await detectIn([of('rev_3'), of('rev_1')], [], 'rev_3')).toEqual([
      ['error_in_code', 'src/pay.js', 'pay', summary],
    ])
    expect(await detectIn([of(null), of('rev_1')], [], 'rev_3')).toHaveLength(1)
    expect(await detectIn([of('rev_1')], [], null)).toHaveLength(1)
  })

  it('leave out a signal whose lines are all of such a revision, also if they are no errors', () => {
    const lines = ['rev_1', 'rev_1'].map((revision_id) => ({
      at: '2026-01-01T00:00:00.000Z',
      text: 'Killed',
      revision_id,
    }))
    const signal = { kind: 'memory_growth' as const, template: '', summary: 'Out of memory.', lines, covers: [] }
    const history = { signals: [signal], background: [], samples: [] }
    const detectWith = (live: string | null) =>
      detect({ clusters: [], checks: [], files: [], history, live }).map(({ kind }) => kind)
    expect(detectWith('rev_2')).toEqual([])
    expect(detectWith('rev_1')).toEqual(['memory_growth'])
    expect(detectWith(null)).toEqual(['memory_growth'])
  })

  it('leave out a signal whose errors are all of such a revision', async () => {
    const signal = { kind: 'memory_growth' as const, template: '', summary: 'Out of memory.', lines: [] }
    const history = { signals: [{ ...signal, covers: ['job failed'] }], background: [], samples: [] }
    const detectWith = async (revisionId: string) =>
      detect({
        clusters: await clusterLines([{ ...line('job failed'), revisionId }], 'rev_2'),
        checks: [],
        files: [],
        history,
      }).map(({ kind }) => kind)
    expect(await detectWith('rev_1')).toEqual([])
    expect(await detectWith('rev_2')).toEqual(['memory_growth'])
  })

  it.each([
    ['single errors without a stack trace', [line('job 3 failed'), line('mail was not sent')]],
    ['warnings and chatter', Array.from({ length: 50 }, (_, n) => line(`cache miss ${n}`, 'warn'))],
    ['a single failure of something it depends on', [line('upstream answered 502 Bad Gateway')]],
    ['a frame in a package', [line('Error: x\n    at f (/app/node_modules/y/orders.js:1:1)')]],
  ])('report nothing for %s', async (_, lines) => {
    expect(await detectIn(lines, [{ name: 'home page', state: 'pass' }])).toEqual([])
  })
})
