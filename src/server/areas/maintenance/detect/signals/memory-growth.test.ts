import { describe, expect, it } from 'vitest'
import { every, evidenceOf, type Line } from '#test/signals/evidence.ts'
import { memoryGrowth } from './memory-growth.ts'
import { memoryOf } from './memory-line.ts'

const KILLED = 'The app ended (killed: it used more than 300 MB of memory) and is started again.'
const grows = (from: number, to: number, step = 10) => every(from, to, step, (n) => `rss=${100 + n * 10}MB`)

describe('MA-30 a line about memory', () => {
  it.each([
    ['rss=312MB', 'rss', 312],
    ['heapUsed: 120.5 MiB of 512', 'heapused', 120.5],
    ['memory usage 1.5 GB', 'memoryusage', 1536],
    ['{"level":"info","rss":104857600}', 'rss', 100],
    ['level=info memory_mb=87', 'memory', 87],
    ['heap used 2048 KB', 'heapused', 2],
    ['{"heap_alloc_bytes":104857600,"goroutines":7}', 'heapalloc', 100],
    ['[info][gc] GC(7) Pause Young (Normal) 412M->310M(512M) 9ms', 'gc', 310],
  ])('%j is read', (text, name, megabytes) => {
    expect(memoryOf(text)).toEqual({ name, megabytes })
  })

  it.each([['memory: 7 pages'], ['rss feed 12 fetched'], ['in memory of Ada'], [`rss${' '.repeat(100_000)}1MB`]])(
    '%j is none',
    (text) => {
      expect(memoryOf(text)).toBeUndefined()
    },
  )
})

describe('MA-30 memory that grows until the app ends', () => {
  it('is found with its growth, the lines of it and of the end', async () => {
    const lines: Line[] = [...grows(300, 100), [99, KILLED, 'error'], [98, 'rss=100MB']]
    expect(memoryGrowth(await evidenceOf({ lines }))).toEqual([
      {
        kind: 'memory_growth',
        template: '',
        summary: 'The app ran out of memory and ended, once in the last day. It grew from 100 MB to 290 MB before.',
        lines: [
          { at: new Date('2026-11-15T07:00:00Z'), revisionId: null, text: 'rss=100MB' },
          { at: new Date('2026-11-15T10:10:00Z'), revisionId: null, text: 'rss=290MB' },
          { at: new Date('2026-11-15T10:21:00Z'), revisionId: null, text: KILLED },
        ],
        covers: ['The app ended (killed: it used more than <n> MB of memory) and is started again.'],
      },
    ])
  })

  it.each<[string, Line[], string]>([
    [
      'without figures, if the program says so itself',
      [[50, 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', 'error']],
      'The app ran out of memory and ended, once in the last day.',
    ],
    [
      'by a signal, if memory grew before',
      [...grows(300, 100), [99, 'The app ended (signal SIGKILL) and is started again.', 'error']],
      'The app ran out of memory and ended, once in the last day. It grew from 100 MB to 290 MB before.',
    ],
    [
      'by the line of a shell, if memory grew before',
      [...grows(300, 100), [99, './run.sh: line 7:    23 Killed                  ./app', 'error']],
      'The app ran out of memory and ended, once in the last day. It grew from 100 MB to 290 MB before.',
    ],
    [
      'through the freeing of a collector',
      [...every(300, 100, 5, (n) => `heap used ${100 + n * 10 - (n % 2) * 60} MB`), [99, 'MemoryError', 'error']],
      'The app ran out of memory and ended, once in the last day. It grew from 100 MB to 480 MB before.',
    ],
    [
      'several times, of which the lines about one end are one',
      [
        [90, 'out of memory', 'error'],
        [89.99, KILLED, 'error'],
        [50, KILLED, 'error'],
      ],
      'The app ran out of memory and ended, 2 times in the last day.',
    ],
  ])('is found %s', async (_, lines, summary) => {
    expect(memoryGrowth(await evidenceOf({ lines }))).toMatchObject([{ summary }])
  })

  it.each<[string, Line[]]>([
    ['memory grows and the app goes on', grows(600, 0)],
    [
      'it ends by a signal with steady memory',
      [...every(300, 100, 10, () => 'rss=200MB'), [99, 'exit code 137', 'error']],
    ],
    ['it ends by a signal and states no memory', [[99, 'The app ended (signal SIGKILL).', 'error']]],
    ['a line of another level speaks of it', [[99, 'image skipped, it would be out of memory', 'warn']]],
    ['gunicorn only suspects it', [[99, 'Worker (pid:7) was sent SIGKILL! Perhaps out of memory?', 'error']]],
    ['it ends with another code', [...grows(300, 100), [99, 'exited with code 1', 'error']]],
  ])('is not found if %s', async (_, lines) => {
    expect(memoryGrowth(await evidenceOf({ lines }))).toEqual([])
  })

  it('is found in a hostile log of figures and ends', async () => {
    const lines = every(1_400, 0, 0.05, (n) => (n % 2 ? `rss=${n}MB` : KILLED), 'error')
    expect(memoryGrowth(await evidenceOf({ lines }))).toHaveLength(1)
  })
})
