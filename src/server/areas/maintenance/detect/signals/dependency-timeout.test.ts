import { describe, expect, it } from 'vitest'
import { every, evidenceOf, type Line } from '#test/signals/evidence.ts'
import { detect } from '../detectors.ts'
import { dependencyTimeouts, endedInterruptions } from './dependency-timeout.ts'
import { timeoutTarget } from './timeout-line.ts'

const SLOW = 'Request to https://pay.example.com/v1/charge timed out after 5000ms'

describe('MA-30 a line about a timeout', () => {
  it.each([
    [SLOW, 'pay.example.com'],
    ['connect ETIMEDOUT 10.0.0.7:5432', '10.0.0.7:5432'],
    ['Error: timeout of 3000ms exceeded calling inventory', 'inventory'],
    ['redis://cache:6379 timed out', 'cache'],
    ['upstream timed out (110) while connecting to api.example.org:443', 'api.example.org'],
    ['context deadline exceeded: dial to search-index', 'search-index'],
    ['Timeout waiting for response from billing', 'billing'],
    ['quote from https://tax.test/v2 failed\n  System.TimeoutException: canceled\n   at Shop.Tax()', 'tax.test'],
    ['call of rates.test failed\njava.net.SocketTimeoutException: Read timed out', 'rates.test'],
    ['Timed out (see https://curl.test/errors) for https://sms.test/send', 'sms.test'],
    ["HTTPSConnectionPool(host='pay.test', port=443): Max retries exceeded (Caused by ReadTimeoutError)", 'pay.test'],
    ['upstream timed out, upstream: "fastcgi://unix:/run/php/php-fpm.sock:"', 'php-fpm'],
  ])('%j names %j', (text, name) => {
    expect(timeoutTarget(text)).toBe(name)
  })

  it.each([
    ['job timed out'],
    ['query timed out, retrying in 2s: db.example.com'],
    ['timeout of the request set to 30s in server.js'],
    ['half-time out of office for Ada'],
    [`timed out ${'a.'.repeat(200_000)}`],
    [`timed out ${'to '.repeat(200_000)}`],
  ])('%j names nothing', (text) => {
    expect(timeoutTarget(text)).toBeUndefined()
  })
})

describe('MA-30 a dependency that times out', () => {
  it('is one finding with its newest lines, however its lines are worded', async () => {
    const lines: Line[] = [
      ...every(200, 20, 60, () => SLOW, 'error'),
      [10, 'ETIMEDOUT from https://pay.example.com', 'error'],
    ]
    expect(dependencyTimeouts(await evidenceOf({ lines }))).toEqual([
      {
        kind: 'dependency_timeout',
        template: 'pay.example.com',
        summary: 'pay.example.com did not answer in time, 4 times in the last day.',
        lines: [
          { at: new Date('2026-11-15T09:40:00Z'), revisionId: null, text: SLOW },
          { at: new Date('2026-11-15T10:40:00Z'), revisionId: null, text: SLOW },
          { at: new Date('2026-11-15T11:50:00Z'), revisionId: null, text: 'ETIMEDOUT from https://pay.example.com' },
        ],
        covers: ['Request to <url> timed out after <n>', 'ETIMEDOUT from <url>'],
      },
    ])
  })

  it.each<[string, Line[], number]>([
    ['three errors in the last minutes', every(2, 0.5, 0.5, () => SLOW, 'error'), 1],
    ['five warnings', every(200, 0, 40, () => SLOW, 'warn'), 1],
    ['four warnings', every(200, 40, 40, () => SLOW, 'warn'), 0],
    ['two errors', every(200, 0, 100, () => SLOW, 'error'), 0],
    ['five warnings that name an exception only', every(200, 0, 40, () => 'WARN: Net::ReadTimeout: closed', 'warn'), 1],
    ['warnings about a timeout that is none of a call', every(200, 0, 10, () => 'session timeout reached', 'warn'), 0],
    ['one interruption that is over', every(200, 198, 0.1, () => SLOW, 'error'), 0],
    ['attempts that were repeated', every(200, 0, 10, () => `${SLOW}, retrying`, 'error'), 0],
    [
      'fewer than one in a hundred requests',
      [...every(1_400, 0, 2, () => 'GET / 200 3ms'), ...every(1_400, 0, 300, () => SLOW, 'error')],
      0,
    ],
  ])('%s: %d', async (_, lines, count) => {
    expect(dependencyTimeouts(await evidenceOf({ lines }))).toHaveLength(count)
  })

  it('takes the place of the errors about it, also of those in code', async () => {
    const evidence = await evidenceOf({ lines: every(200, 20, 60, () => SLOW, 'error') })
    const history = {
      signals: dependencyTimeouts(evidence).map((one) => ({ ...one, lines: [], covers: [...one.covers] })),
      background: [],
      samples: [],
    }
    const cluster = { template: 'Request to <url> timed out after <n>', level: 'error', count: 3 }
    const frames = [{ path: '/app/pay.js', symbol: 'pay' }]
    for (const one of [
      { ...cluster, frames: [] },
      { ...cluster, frames },
    ]) {
      const found = detect({ clusters: [one], checks: [], files: ['pay.js'], history })
      expect(found.map(({ kind }) => kind)).toEqual(['dependency_timeout'])
    }
  })

  it('that answers again leaves no finding behind', async () => {
    const evidence = await evidenceOf({ lines: every(200, 198, 0.1, () => SLOW, 'error') })
    expect(endedInterruptions(evidence)).toEqual(['Request to <url> timed out after <n>'])
  })

  it('is found in a log that names another host on every line', async () => {
    const hostile = every(1_400, 0, 0.1, (n) => `GET https://h${n}.example.com timed out`, 'error')
    const lines = [...every(1_410, 1_401, 1, () => SLOW, 'error'), ...hostile]
    expect(dependencyTimeouts(await evidenceOf({ lines })).map(({ template }) => template)).toEqual(['pay.example.com'])
  })
})
