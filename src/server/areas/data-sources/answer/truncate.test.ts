import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { encode, type Format } from '#edge/format/negotiate.ts'
import type { Hit } from './hit.ts'
import { cutText, textBytes } from './text-size.ts'
import { type Answer, MAX_ANSWER_BYTES, truncateAnswer } from './truncate.ts'

const FORMATS = ['json', 'yaml'] as const
const truncated = (hits: readonly Hit[], format: Format) => truncateAnswer(hits, format).answer
const bytes = (answer: Answer, format: Format) => Buffer.byteLength(encode(answer, format).body)
const read = (answer: Answer, format: Format): Answer => {
  const { body } = encode(answer, format)
  return (format === 'json' ? JSON.parse(body) : parse(body)) as Answer
}
const hit = (id: string, body: unknown, title: string | null = 'T'): Hit => ({
  id,
  title,
  metadata: { body, _score: 0.5, _target: 'docs' },
})

it.each(FORMATS)('DS-25 the bytes of a verdict count: an answer that is full has at most 16 KiB as %s', (format) => {
  const verdict = { answerable: 'unsure', answerable_error_rate: 0.05 } as const
  const all = Array.from({ length: 20 }, (_, i): Hit => {
    const { metadata, ...rest } = hit(`id-${i}`, 'x'.repeat(2_000))
    return { ...rest, metadata: { ...metadata, _relevance: 'possible' } }
  })
  const { answer, bytes: size } = truncateAnswer(all, format, { verdict })
  expect(answer).toMatchObject({ count: 20, ...verdict, truncated: true })
  expect(answer.results.every(({ metadata }) => metadata._relevance === 'possible')).toBe(true)
  expect(size).toBe(bytes(answer, format))
  expect(size).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  expect(size).toBeGreaterThan(MAX_ANSWER_BYTES * 0.99)
})

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 3000 }),
  fc
    .constantFrom('👩‍👩‍👧‍👦', '\u0001', '"\\', 'é', '\u2028', '\ud800', 'e\u0301\u0302')
    .chain((part) => fc.integer({ min: 0, max: 4000 }).map((n) => part.repeat(n))),
)
const value = fc.oneof(nasty, fc.double(), fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 3 }))
const hits = fc.array(
  fc.record({
    id: fc.string({ maxLength: 40 }),
    title: fc.option(nasty),
    metadata: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/), value, { maxKeys: 4 }).map((rest) => ({
      ...rest,
      _score: 0.25,
      _target: 'docs',
    })),
  }),
  { maxLength: 20 },
)

describe('DS-16 an answer of at most 16 KiB', () => {
  it.each(FORMATS)('is left alone when it fits, in %s', (format) => {
    const all = [hit('1', 'short'), hit('2', { a: [1, 2] })]
    expect(truncated(all, format)).toEqual({ count: 2, results: all })
  })

  it.each(FORMATS)('cuts long values first, all to one length, and says so, in %s', (format) => {
    const all = Array.from({ length: 4 }, (_, n) => hit(String(n), 'x'.repeat(10_000)))
    const answer = truncated(all, format)
    expect(answer.count).toBe(4)
    const lengths = new Set(answer.results.map(({ metadata }) => (metadata.body as string).length))
    expect(lengths.size).toBe(1)
    const [length] = [...lengths]
    expect(answer.truncated).toBe(true)
    expect(answer.note).toBe(
      `4 values cut to ${length! - 1} characters. Ask a narrower question, add filters or lower top_k.`,
    )
    expect(bytes(answer, format)).toBeGreaterThan(MAX_ANSWER_BYTES * 0.99)
  })

  it.each(FORMATS)('leaves out last hits when cutting is not enough, in %s', (format) => {
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`column_${n}`, 'y'.repeat(200)]))
    const all = Array.from({ length: 20 }, (_, n) => ({ id: `id ${n}`, title: 'T', metadata }))
    const answer = truncated(all, format)
    expect(answer.results.map(({ id }) => id)).toEqual(all.slice(0, answer.count).map(({ id }) => id))
    expect(answer.count).toBeGreaterThan(3)
    expect(answer.note).toContain(`the last ${20 - answer.count} of 20 hits were left out`)
  })

  it.each([
    ['json', 'x', 16_336, 598],
    ['json', '"\\\n', 16_336, 299],
    ['json', 'né', 16_336, 399],
    ['json', '👍🏽', 16_216, 298],
    ['yaml', 'x', 16_329, 568],
    ['yaml', '"\\\n', 16_329, 284],
    ['yaml', 'né', 16_329, 379],
    ['yaml', '👍🏽', 16_329, 284],
  ] as const)('in %s twenty hits of %j take %d bytes, cut to %d', (format, part, size, length) => {
    const all = Array.from({ length: 20 }, (_, n) => ({
      id: `id ${n}`,
      title: `Title ${n}`,
      metadata: {
        body: part.repeat(900 * ((n % 4) + 1)),
        short: 's'.repeat(100),
        year: 2000 + n,
        _score: 0.5,
        _target: 'docs',
      },
    }))
    const answer = truncated(all, format)
    expect([answer.count, bytes(answer, format)]).toEqual([20, size])
    expect(answer.note).toContain(`20 values cut to ${length} characters`)
  })

  it.each(FORMATS)('is left alone up to the last byte, and not a byte further, in %s', (format) => {
    const filled = (n: number) => [hit('1', { n: [1, 'é'] }), hit('2', 'x'.repeat(n))]
    const free = MAX_ANSWER_BYTES - bytes({ count: 2, results: filled(0) }, format)
    expect(truncated(filled(free), format)).toEqual({ count: 2, results: filled(free) })
    expect(truncated(filled(free + 1), format).truncated).toBe(true)
  })

  it('a column may be called title too', () => {
    const metadata = { title: 'm'.repeat(9_000), _score: 1, _target: 'docs' }
    const { results } = truncated([{ id: '1', title: 't'.repeat(9_000), metadata }], 'json')
    expect([results[0]!.title![0], (results[0]!.metadata.title as string)[0]]).toEqual(['t', 'm'])
  })

  it('never cuts ids, labels and numbers', () => {
    const id = 'i'.repeat(2_000)
    const all = Array.from({ length: 5 }, () => hit(id, 'z'.repeat(20_000)))
    for (const { id: hitId, metadata } of truncated(all, 'json').results) {
      expect([hitId, metadata._score, metadata._target]).toEqual([id, 0.5, 'docs'])
    }
  })

  it('a single hit that cannot fit leaves an empty, marked answer', () => {
    const answer = truncated([hit('i'.repeat(20_000), 'x')], 'json')
    expect(answer).toMatchObject({ count: 0, results: [], truncated: true })
    expect(answer.note).toContain('the last 1 of 1 hits were left out')
  })

  it.each(FORMATS)(
    'whatever the hits: within the limit, well formed, read back as it was, the same twice, in %s',
    (format) => {
      fc.assert(
        fc.property(hits, (all) => {
          const answer = truncated(all, format)
          expect(bytes(answer, format)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
          expect(truncateAnswer(all, format).bytes).toBe(bytes(answer, format))
          expect(answer.results).toHaveLength(answer.count)
          expect(read(answer, format).count).toBe(answer.count)
          expect(encode(truncated(all, format), format).body).toBe(encode(answer, format).body)
          if (!answer.truncated) expect(answer.count).toBe(all.length)
        }),
        { numRuns: 300, seed: 16 },
      )
    },
  )

  it.each(FORMATS)('the sizes it counts with are those of what is written, in %s', (format) => {
    fc.assert(
      fc.property(nasty, (text) => {
        const written =
          Buffer.byteLength(encode({ k: text }, format).body) - Buffer.byteLength(encode({ k: '' }, format).body)
        expect(textBytes(text, format)).toBe(written + 2)
      }),
      { numRuns: 500, seed: 17 },
    )
  })

  it('cuts between characters as people see them', () => {
    expect(cutText('ab👩‍👩‍👧‍👦cd', 5)).toBe('ab…')
    expect(cutText('e\u0301e\u0301', 3)).toBe('e\u0301…')
    expect(cutText('plain text', 5)).toBe('plain…')
    expect(cutText(`${'x'.repeat(500)}👍👍`, 501)).toBe(`${'x'.repeat(500)}…`)
  })
})
