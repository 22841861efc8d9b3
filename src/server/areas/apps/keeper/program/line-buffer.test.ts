import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KeptLine } from '../messages.ts'
import { type FrozenLines, LineBuffer } from './line-buffer.ts'

const add = (lines: LineBuffer, texts: readonly string[], now: number) => {
  for (const text of texts) lines.add({ stream: 'stdout', text }, now)
}
const rest = (lines: LineBuffer) => {
  const texts: string[] = []
  for (let line = lines.next(); line; line = lines.next()) texts.push(`${line.at} ${line.text}`)
  return texts
}

/** A server that is sent lines, stores the oldest of them, and is killed. */
class StoringServer {
  readonly #log: { readonly at: number; readonly dropped: number }[]
  #unstored: KeptLine[] = []

  constructor(log: { readonly at: number; readonly dropped: number }[]) {
    this.#log = log
  }

  stored() {
    if (this.#log.length === 0) return null
    const newest = this.#log.findLastIndex(({ dropped }) => dropped === 0)
    const at = this.#log[newest]?.at ?? 0
    const behind = this.#log.slice(newest + 1)
    const dropped = { count: behind.reduce((sum, line) => sum + line.dropped, 0), since: behind[0]?.at ?? 0 }
    const then = this.#log.slice(0, newest + 1).filter((line) => line.at === at)
    return { at, count: then.reduce((sum, line) => sum + Math.max(line.dropped, 1), 0), dropped }
  }

  read(lines: LineBuffer, max: number): void {
    for (let line = max > 0 ? lines.next() : undefined; line; line = lines.next()) {
      this.#unstored.push(line)
      if (--max <= 0) return
    }
  }

  store(count: number): void {
    for (const { at, dropped = 0 } of this.#unstored.splice(0, count)) this.#log.push({ at, dropped })
  }
}

describe('the lines of an app between two servers', () => {
  it('OP-07 are handed on once, and again only after those that are stored', () => {
    const lines = new LineBuffer()
    add(lines, ['a', 'b'], 1)
    add(lines, ['c', 'd', 'e'], 2)
    expect(rest(lines)).toEqual(['1 a', '1 b', '2 c', '2 d', '2 e'])
    expect(rest(lines)).toEqual([])
    lines.resendAfter({ at: 2, count: 2 })
    expect(rest(lines)).toEqual(['2 e'])
    lines.resendAfter({ at: 1, count: 2 })
    expect(rest(lines)).toEqual(['2 c', '2 d', '2 e'])
    lines.resendAfter(null)
    expect(rest(lines)).toEqual(['1 a', '1 b', '2 c', '2 d', '2 e'])
  })

  it('OP-07 are not handed on again when all are stored', () => {
    const lines = new LineBuffer()
    add(lines, ['a'], 1)
    rest(lines)
    lines.resendAfter({ at: 1, count: 1 })
    expect(rest(lines)).toEqual([])
    add(lines, ['b'], 1)
    expect(rest(lines)).toEqual(['1 b'])
  })

  it('OP-07 have times that never go back, also when the clock does', () => {
    const lines = new LineBuffer()
    add(lines, ['a'], 5)
    add(lines, ['b'], 3)
    expect(rest(lines)).toEqual(['5 a', '5 b'])
  })

  it('OP-07 are bounded, and what falls out before a server read it is counted', () => {
    const lines = new LineBuffer()
    const texts = Array.from({ length: 2_003 }, (_, index) => `line ${index}`)
    add(lines, texts, 1)
    const [first, second] = [lines.next(), lines.next()]
    expect(first).toMatchObject({ stream: 'system', dropped: 3 })
    expect(second?.text).toBe('line 3')
    expect(rest(lines)).toHaveLength(1_999)
    // These were read before they fall out.
    add(lines, texts, 2)
    expect(lines.next()).toMatchObject({ dropped: 3 })
  })

  it('OP-07 that were sent, were not stored and fell out are counted', () => {
    const lines = new LineBuffer({ limits: { lines: 2, bytes: 10_000 } })
    add(lines, ['a', 'b'], 1)
    rest(lines)
    add(lines, ['c', 'd'], 2)
    rest(lines)
    add(lines, ['e', 'f'], 3)
    rest(lines)
    lines.resendAfter({ at: 1, count: 1 })
    expect(lines.next()).toMatchObject({ stream: 'system', dropped: 3 })
    expect(rest(lines)).toEqual(['3 e', '3 f'])
    lines.resendAfter(null)
    expect(lines.next()).toMatchObject({ dropped: 4 })
    // The log has counted two of them behind its newest line.
    lines.resendAfter({ at: 1, count: 2, dropped: { count: 2, since: 3 } })
    expect(rest(lines)).toEqual(['3 e', '3 f'])
    // Those were lines of a former instance.
    lines.resendAfter({ at: 0, count: 0, dropped: { count: 2, since: 0 } })
    expect(lines.next()).toMatchObject({ dropped: 4 })
    lines.resendAfter({ at: 3, count: 2 })
    expect(rest(lines)).toEqual([])
  })

  it('OP-07 are stored or counted once each, however often servers are killed', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), count: fc.nat(8), later: fc.nat(2) }),
      fc.record({ do: fc.constant('read' as const), count: fc.nat(12) }),
      fc.record({ do: fc.constant('store' as const), count: fc.nat(12) }),
      fc.record({ do: fc.constant('kill' as const) }),
    )
    const run = (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) => {
      const log: { at: number; dropped: number }[] = []
      const lines = new LineBuffer({ limits: { lines: 5, bytes: 10_000 } })
      let server = new StoringServer(log)
      let [now, written] = [1, 0]
      const kill = () => {
        server = new StoringServer(log)
        lines.resendAfter(server.stored())
      }
      for (const one of steps) {
        if (one.do === 'write') {
          now += one.later
          add(lines, Array(one.count).fill('x'), now)
          written += one.count
        } else if (one.do === 'read') server.read(lines, one.count)
        else if (one.do === 'store') server.store(one.count)
        else kill()
      }
      kill()
      server.read(lines, Number.POSITIVE_INFINITY)
      server.store(Number.POSITIVE_INFINITY)
      return { written, found: log.reduce((sum, { dropped }) => sum + (dropped === 0 ? 1 : dropped), 0) }
    }
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { written, found } = run(steps)
        expect(found).toBe(written)
      }),
      { numRuns: 300 },
    )
  })

  it('OP-07 that fell out in a long gap are counted without those that were stored before', () => {
    const lines = new LineBuffer({ limits: { lines: 5, bytes: 10_000 } })
    const write = (from: number, to: number) => {
      for (let at = from; at <= to; at++) add(lines, ['x'], at)
    }
    for (let at = 1; at <= 2_000; at++) {
      write(at, at)
      lines.next()
    }
    write(2_001, 4_000)
    lines.resendAfter({ at: 1_998, count: 1 })
    // 1999 to 3995: two that were sent and not stored, and those of the gap.
    expect(lines.next()).toMatchObject({ dropped: 1_997 })
    const next = LineBuffer.restore(JSON.parse(JSON.stringify(lines.freeze())) as FrozenLines)
    next.resendAfter({ at: 1_998, count: 1 })
    expect(next.next()).toMatchObject({ dropped: 1_997 })
    lines.resendAfter({ at: 1_998, count: 1, dropped: { count: 1_997, since: 3_995 } })
    expect(rest(lines)).toEqual(['3996 x', '3997 x', '3998 x', '3999 x', '4000 x'])
    write(4_001, 5_000)
    lines.resendAfter({ at: 4_000, count: 1 })
    expect(lines.next()).toMatchObject({ dropped: 995 })
  })

  it('OP-07 are counted on by the program of a newer release', () => {
    const lines = new LineBuffer()
    const byApp = [
      [1, 3],
      [2, 2],
    ] as const
    const next = LineBuffer.restore({ ...lines.freeze(), forgotten: { byApp, bySystem: [[2, 1]] }, firstAt: 1 })
    next.resendAfter({ at: 1, count: 2 })
    expect(next.next()).toMatchObject({ dropped: 4 })
    next.resendAfter({ at: 2, count: 2 })
    expect(next.next()).toBeUndefined()
  })

  it('OP-07 are counted on by the next program of the keeper', () => {
    const lines = new LineBuffer()
    add(
      lines,
      Array.from({ length: 2_000 }, (_, index) => `line ${index}`),
      1,
    )
    for (let count = 0; count < 2; count++) lines.next()
    const next = LineBuffer.restore(structuredClone(lines.freeze()))
    add(next, ['a', 'b', 'c'], 0)
    expect(next.next()).toMatchObject({ stream: 'system', dropped: 1, at: 1 })
    expect(next.next()).toMatchObject({ text: 'line 3' })
  })

  it('OP-07 are bounded by their bytes too', () => {
    const lines = new LineBuffer()
    add(
      lines,
      Array.from({ length: 5 }, () => 'x'.repeat(64 * 1024)),
      1,
    )
    expect(lines.next()).toMatchObject({ dropped: 2 })
  })
})
