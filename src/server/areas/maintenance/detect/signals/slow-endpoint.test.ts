import { describe, expect, it } from 'vitest'
import { every, evidenceOf, type Line } from '#test/signals/evidence.ts'
import { slowEndpoints } from './slow-endpoint.ts'

const took = (from: number, to: number, ms: number, path = '/orders/7', step = 5) =>
  every(from, to, step, (n) => `GET ${path} 200 ${ms + (n % 3)}ms`)

describe('MA-30 endpoints that are slower since a revision', () => {
  it('are one finding, the one that lost most first, with its newest lines', async () => {
    const lines = [
      ...took(1_000, 120, 40),
      ...took(118, 0, 900),
      ...took(1_000, 120, 9, '/a'),
      ...took(118, 0, 300, '/a'),
    ]
    expect(slowEndpoints(await evidenceOf({ lines, deployed: 120 }))).toEqual([
      {
        kind: 'slow_endpoint',
        template: 'rev_2',
        summary:
          'Slower since deploy dep_2 of revision rev_2: GET /orders/:id took 41 ms and takes 901 ms, GET /a took 10 ms and takes 301 ms.',
        lines: [
          { at: new Date('2026-11-15T11:47:00Z'), revisionId: null, text: 'GET /orders/7 200 900ms' },
          { at: new Date('2026-11-15T11:52:00Z'), revisionId: null, text: 'GET /orders/7 200 901ms' },
          { at: new Date('2026-11-15T11:57:00Z'), revisionId: null, text: 'GET /orders/7 200 902ms' },
        ],
        covers: [],
      },
    ])
  })

  it.each([
    ['milliseconds, if some are small', 20, 1],
    ['microseconds, if none is', 2_000, 0],
  ])('take numbers without a unit as %s', async (_, before, count) => {
    const plain = (from: number, to: number, time: number) =>
      every(from, to, 5, () => `"GET /a HTTP/1.1" 200 512 ${time}`)
    const lines = [...plain(1_000, 120, before), ...plain(118, 0, before * 10)]
    expect(slowEndpoints(await evidenceOf({ lines, deployed: 120 }))).toHaveLength(count)
  })

  it.each<[string, Line[], number | undefined]>([
    [
      'that refuse requests at once',
      [...took(1_000, 120, 40), ...every(118, 0, 2, () => 'GET /orders/7 429 900ms')],
      120,
    ],
    ['without a deploy', [...took(1_000, 120, 40), ...took(118, 0, 900)], undefined],
    ['that were always slow', took(1_000, 0, 3_000), 120],
    ['that are new', took(118, 0, 3_000), 120],
    ['that take 99 ms more', [...took(1_000, 120, 10), ...took(118, 0, 109)], 120],
    ['that take less than twice the time', [...took(1_000, 120, 1_000), ...took(118, 0, 1_900)], 120],
    ['with nine requests since', [...took(1_000, 120, 40), ...took(45, 0, 900)], 120],
    ['with few slow requests among fast ones', [...took(1_000, 0, 40), ...took(118, 0, 900, '/orders/7', 15)], 120],
    [
      'that were slow in the first minute',
      [...took(1_000, 120, 40), ...took(119.9, 119.1, 900, '/orders/7', 0.05)],
      120,
    ],
  ])('are not those %s', async (_, lines, deployed) => {
    expect(slowEndpoints(await evidenceOf({ lines, ...(deployed && { deployed }) }))).toEqual([])
  })

  it('are found in a log with an endpoint on every line, of which 500 are compared', async () => {
    const hostile = every(
      1_000,
      0,
      0.05,
      (n) => `GET /${'x'.repeat(n % 30)}/${n.toString(36).replace(/\d/g, 'z')} 200 1ms`,
    )
    const lines = [...took(1_000, 120, 40), ...took(118, 0, 900), ...hostile]
    expect(slowEndpoints(await evidenceOf({ lines, deployed: 120 }))).toHaveLength(1)
  })
})
