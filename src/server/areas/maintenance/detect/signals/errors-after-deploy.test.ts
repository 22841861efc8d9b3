import { describe, expect, it } from 'vitest'
import { every, evidenceOf, type Line } from '#test/signals/evidence.ts'
import { detect } from '../detectors.ts'
import { errorsAfterDeploy } from './errors-after-deploy.ts'

const OK = () => 'GET /pay 200 20ms'
const FAILED = () => 'GET /pay 500 20ms'
const before = every(1_500, 120, 10, OK)
const after = every(118, 0, 2, OK)

describe('MA-30 errors after a deploy', () => {
  it.each<[string, Line[], string]>([
    [
      'by request, where the app logs requests',
      [...before, ...after, ...every(110, 0, 10, FAILED)],
      'Errors rose with deploy dep_2 of revision rev_2: 11 errors in 70 requests since then, 0 in 138 before.',
    ],
    [
      'by hour, where it does not',
      [[1_500, 'started'], [700, 'job 1 failed', 'error'], ...every(118, 0, 10, (n) => `job ${n} failed`, 'error')],
      'Errors rose with deploy dep_2 of revision rev_2: 12 errors in 2.0 hours since then, 1 in 23.0 before.',
    ],
  ])('are found %s', async (_, lines, summary) => {
    expect(errorsAfterDeploy(await evidenceOf({ lines, deployed: 120 }))).toMatchObject([{ summary }])
  })

  it('cite the newest lines, and name the revision', async () => {
    const lines = [...before, ...after, ...every(110, 0, 10, (n) => `order ${n} failed`, 'error')]
    expect(errorsAfterDeploy(await evidenceOf({ lines, deployed: 120 }))).toEqual([
      {
        kind: 'errors_after_deploy',
        template: 'rev_2',
        summary:
          'Errors rose with deploy dep_2 of revision rev_2: 11 errors in 59 requests since then, 0 in 138 before.',
        lines: [
          { at: new Date('2026-11-15T11:30:00Z'), revisionId: null, text: 'order 8 failed' },
          { at: new Date('2026-11-15T11:40:00Z'), revisionId: null, text: 'order 9 failed' },
          { at: new Date('2026-11-15T11:50:00Z'), revisionId: null, text: 'order 10 failed' },
        ],
        covers: ['order <n> failed'],
      },
    ])
  })

  it.each<[string, Line[], number | undefined]>([
    ['there was no deploy', [...before, ...every(110, 0, 2, FAILED)], undefined],
    ['there is nothing to compare with', every(118, 0, 2, FAILED), 120],
    ['the share of failed requests is the same', [...every(1_500, 0, 2, (n) => (n % 20 ? OK() : FAILED()))], 120],
    ['there are four of them', [...before, ...after, ...every(110, 70, 10, FAILED)], 120],
    ['they end within a minute, as those of the former instance', [...before, ...every(120, 119.2, 0.05, FAILED)], 120],
    [
      'they are fewer than one in a hundred requests',
      [...before, ...every(118, 0, 0.1, OK), ...every(110, 60, 10, FAILED)],
      120,
    ],
    [
      'few requests before the deploy do not tell how many there were',
      [...every(160, 120, 2, OK), ...every(118, 0, 0.2, OK), ...every(110, 0, 10, FAILED)],
      120,
    ],
  ])('are not found if %s', async (_, lines, deployed) => {
    expect(errorsAfterDeploy(await evidenceOf({ lines, ...(deployed && { deployed }) }))).toEqual([])
  })

  const at = { at: '2026-11-15T11:50:00.000Z', text: 'order 10 failed' }
  const signal = {
    kind: 'errors_after_deploy',
    template: 'rev_2',
    summary: 'It came with deploy dep_2.',
    lines: [],
    covers: ['order <n> failed'],
  } as const
  const cluster = { template: 'order <n> failed', level: 'error', count: 11, frames: [] }
  const history = {
    signals: [{ ...signal, lines: [], covers: [...signal.covers] }],
    background: ['order <n> failed'],
    samples: [{ template: 'order <n> failed', lines: [at] }],
  }

  it('name the deploy in the finding of the error, which has its own fingerprint and lines', () => {
    expect(detect({ clusters: [cluster], checks: [], files: [], history })).toEqual([
      {
        kind: 'error_in_logs',
        path: null,
        symbol: null,
        template: 'order <n> failed',
        summary: 'An error was logged 11 times: order <n> failed. It came with deploy dep_2.',
        lines: [at],
      },
    ])
  })

  it('are a finding of their own if no error has one', () => {
    expect(detect({ clusters: [], checks: [], files: [], history }).map(({ kind }) => kind)).toEqual([
      'errors_after_deploy',
    ])
  })

  it('are read at once from a hostile log with a template on every line', async () => {
    const words = (n: number) => `fault ${String(n).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)} failed`
    const lines = [...before, ...every(110, 0, 0.005, words, 'error')]
    const [found] = errorsAfterDeploy(await evidenceOf({ lines, deployed: 120 }))
    expect(found?.summary).toContain('22000 errors')
  })
})

describe('MA-30 errors in the background of a busy app', () => {
  it('are no finding, and one that began later is', () => {
    const quiet = { signals: [], background: ['order <n> failed'], samples: [] }
    expect(detect({ clusters: [cluster()], checks: [], files: [], history: quiet })).toEqual([])
    const frames = [{ path: '/app/pay.js', symbol: 'pay' }]
    expect(
      detect({ clusters: [{ ...cluster(), frames }], checks: [], files: ['pay.js'], history: quiet }).map(
        ({ kind }) => kind,
      ),
    ).toEqual(['error_in_code'])
  })

  const cluster = () => ({ template: 'order <n> failed', level: 'error', count: 11, frames: [] })
})
