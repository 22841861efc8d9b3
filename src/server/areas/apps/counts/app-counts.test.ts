import { expect, it } from 'vitest'
import { AppCounts, COUNTED_MS } from './app-counts.ts'

const AT = Date.parse('2026-03-01T12:00:00.000Z')

function counting() {
  let nowMs = AT + 1
  const counts = new AppCounts(() => nowMs)
  return { counts, passPart: () => (nowMs += COUNTED_MS) }
}

it('AP-02 requests are counted by app and part of the time, and taken once', () => {
  const { counts, passPart } = counting()
  counts.ended('shop', { status: 200, ms: 1 })
  counts.ended('shop', { status: 500, ms: 4 })
  counts.ended('till', { status: 404, ms: 0 })
  passPart()
  counts.ended('shop', { status: 200, ms: 2 })
  expect(counts.take()).toEqual([
    { label: 'shop', at: AT, requests: 2, failed: 1, latencies: [1, 0, 0, 0, 1], memoryBytes: null },
    { label: 'shop', at: AT + COUNTED_MS, requests: 1, failed: 0, latencies: [0, 0, 1], memoryBytes: null },
    { label: 'till', at: AT, requests: 1, failed: 0, latencies: [1], memoryBytes: null },
  ])
  expect(counts.take()).toEqual([])
})

it.each([
  ['the app did not answer', 'app', 1],
  ['the visitor did not wait', 'visitor', 0],
] as const)('AP-02 a request without an answer has no latency; it failed if %s', (_why, noAnswer, failed) => {
  const { counts } = counting()
  counts.ended('shop', { noAnswer })
  expect(counts.take()).toMatchObject([{ requests: 1, failed, latencies: [] }])
})

it('AP-02 a request that found no room counts for an app that was counted lately, and for no other name', () => {
  const { counts, passPart } = counting()
  counts.refused('nobody')
  counts.ended('shop', { status: 200, ms: 1 })
  counts.take()
  counts.refused('shop')
  expect(counts.take()).toMatchObject([{ label: 'shop', requests: 1, failed: 1 }])
  passPart()
  passPart()
  counts.take()
  counts.refused('shop')
  expect(counts.take()).toEqual([])
})

it('AP-02 the most memory of each part of the time is taken, and nothing if it did not grow since', () => {
  const { counts, passPart } = counting()
  for (const bytes of [10, 30, 20]) counts.memory('shop', bytes)
  expect(counts.take()).toMatchObject([{ requests: 0, memoryBytes: 30 }])
  counts.memory('shop', 25)
  expect(counts.take()).toEqual([])
  passPart()
  counts.memory('shop', 25)
  expect(counts.take()).toMatchObject([{ at: AT + COUNTED_MS, memoryBytes: 25 }])
})

it('AP-02 what another one counted is added', () => {
  const { counts } = counting()
  counts.ended('shop', { status: 200, ms: 1 })
  counts.add([{ label: 'shop', at: AT, requests: 2, failed: 1, latencies: [1, 1], memoryBytes: 7 }])
  expect(counts.take()).toEqual([{ label: 'shop', at: AT, requests: 3, failed: 1, latencies: [2, 1], memoryBytes: 7 }])
})

it('AP-02 a thousand apps and two hours are kept at most while nobody takes them', () => {
  const { counts, passPart } = counting()
  for (let app = 0; app < 1_001; app++) counts.ended(`app-${app}`, { status: 200, ms: 1 })
  for (let part = 0; part < 24; part++) {
    passPart()
    counts.ended('app-0', { status: 200, ms: 1 })
  }
  const taken = counts.take()
  const parts = taken.filter(({ label }) => label === 'app-0').map(({ at }) => at)
  expect([taken.length, parts.length, Math.min(...parts)]).toEqual([999 + 24, 24, AT + COUNTED_MS])
})
