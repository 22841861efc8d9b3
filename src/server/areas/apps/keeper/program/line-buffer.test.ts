import { describe, expect, it } from 'vitest'
import { LineBuffer } from './line-buffer.ts'

const add = (lines: LineBuffer, texts: readonly string[], now: number) => {
  for (const text of texts) lines.add({ stream: 'stdout', text }, now)
}
const rest = (lines: LineBuffer) => {
  const texts: string[] = []
  for (let line = lines.next(); line; line = lines.next()) texts.push(`${line.at} ${line.text}`)
  return texts
}

describe('the lines of an app between two servers', () => {
  it('AP-02 are handed on once, and again only after those that are stored', () => {
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

  it('AP-02 are not handed on again when all are stored', () => {
    const lines = new LineBuffer()
    add(lines, ['a'], 1)
    rest(lines)
    lines.resendAfter({ at: 1, count: 1 })
    expect(rest(lines)).toEqual([])
    add(lines, ['b'], 1)
    expect(rest(lines)).toEqual(['1 b'])
  })

  it('AP-02 have times that never go back, also when the clock does', () => {
    const lines = new LineBuffer()
    add(lines, ['a'], 5)
    add(lines, ['b'], 3)
    expect(rest(lines)).toEqual(['5 a', '5 b'])
  })

  it('AP-02 are bounded, and what falls out before a server read it is counted', () => {
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

  it('AP-02 are counted on by the next program of the keeper', () => {
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

  it('AP-02 are bounded by their bytes too', () => {
    const lines = new LineBuffer()
    add(
      lines,
      Array.from({ length: 5 }, () => 'x'.repeat(64 * 1024)),
      1,
    )
    expect(lines.next()).toMatchObject({ dropped: 2 })
  })
})
