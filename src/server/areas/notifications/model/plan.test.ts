import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DueDestination, type PlannedDelivery, planDeliveries, whereMoreWaits } from './plan.ts'

const KEYS = ['a', 'b', 'c', 'd'] as const

const destinations = fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: KEYS.length }).chain((keys) =>
  fc.tuple(
    ...keys.map((key) =>
      fc.record({
        key: fc.constant(key),
        org_id: fc.constant('org_1'),
        kind: fc.constant('webhook' as const),
        free: fc.integer({ min: 0, max: 4 }),
        per_message: fc.integer({ min: 1, max: 5 }),
      }),
    ),
  ),
)
// Also of a destination that is not due.
const keysOfRows = fc.array(fc.constantFrom(...KEYS, 'other'), { maxLength: 25 })
const works = fc.record({
  destinations,
  waiting: keysOfRows.map((keys) => keys.map((destination_key, i) => ({ id: `dlv_old_${i}`, destination_key }))),
  ready: keysOfRows.map((keys) =>
    keys.map((destination_key, i) => ({ id: `ntf_${i}`, destination_key, channel_id: destination_key, user_id: null })),
  ),
  limit: fc.integer({ min: 0, max: 12 }),
})
type Work = typeof works extends fc.Arbitrary<infer T> ? T : never

function plan(work: Work): PlannedDelivery[] {
  let idCount = 0
  return planDeliveries(work, () => `dlv_new_${idCount++}`)
}
const ofKey = (planned: PlannedDelivery[], key: string) => planned.filter(({ destination }) => destination.key === key)
/** How many messages a destination could get now if it were alone. */
const possible = ({ waiting, ready }: Work, { key, free, per_message }: DueDestination) => {
  const own = (rows: readonly { destination_key: string }[]) => rows.filter((row) => row.destination_key === key).length
  return Math.min(free, own(waiting) + Math.ceil(own(ready) / per_message))
}
const check = (property: (work: Work, planned: PlannedDelivery[]) => void) =>
  fc.assert(
    fc.property(works, (work) => property(work, plan(work))),
    { seed: 15, numRuns: 400 },
  )

describe('NO-07 which deliveries are claimed', () => {
  it('are as many as there are slots and work for them, and never more to a destination than it has free', () => {
    check((work, planned) => {
      const total = work.destinations.reduce((sum, destination) => sum + possible(work, destination), 0)
      expect(planned).toHaveLength(Math.min(work.limit, total))
      for (const destination of work.destinations)
        expect(ofKey(planned, destination.key).length).toBeLessThanOrEqual(destination.free)
    })
  })

  it('contain no notification twice, none of another destination, and the oldest of a destination first', () => {
    check((work, planned) => {
      for (const { key, per_message } of work.destinations) {
        const groups = ofKey(planned, key).map(({ notificationIds }) => notificationIds)
        const own = work.ready.filter(({ destination_key }) => destination_key === key).map(({ id }) => id)
        expect(groups.flat()).toEqual(own.slice(0, groups.flat().length))
        for (const group of groups) expect(group.length).toBeLessThanOrEqual(per_message)
      }
      expect(new Set(planned.map(({ id }) => id)).size).toBe(planned.length)
    })
  })

  it('send what was begun before what is new', () => {
    check((work, planned) => {
      for (const { key } of work.destinations) {
        const ids = ofKey(planned, key).map(({ id }) => id)
        const begun = work.waiting.filter(({ destination_key }) => destination_key === key).map(({ id }) => id)
        const old = ids.filter((id) => id.startsWith('dlv_old_'))
        expect(ids.slice(0, old.length)).toEqual(begun.slice(0, old.length))
        if (old.length < ids.length) expect(old).toEqual(begun)
      }
    })
  })

  it('give no destination a second turn while another waits for its first', () => {
    check((work, planned) => {
      const turns = work.destinations.map((one) => ({ n: ofKey(planned, one.key).length, most: possible(work, one) }))
      const greatest = Math.max(0, ...turns.map(({ n }) => n))
      for (const { n, most } of turns) if (n < greatest - 1) expect(n).toBe(most)
    })
  })
})

describe('NO-07 knowing where more waits', () => {
  const destination: DueDestination = { key: 'a', org_id: 'org_1', kind: 'webhook', free: 2, per_message: 3 }
  const waiting = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `dlv_${i}`, destination_key: 'a' }))
  const ready = (count: number) => waiting(count).map((one) => ({ ...one, channel_id: 'a', user_id: null }))
  it.each([
    ['nothing waits', 0, 0, 9, false],
    ['all was claimed', 1, 2, 9, false],
    ['the limit left a message', 1, 2, 1, true],
    ['as many messages were read as may be', 2, 0, 9, true],
    ['as many notifications were read as fit', 0, 6, 9, true],
    ['notifications are left beside a message', 1, 4, 9, true],
  ])('says whether more waits when %s', (_, existing, loose, limit, expected) => {
    const work = { destinations: [destination], waiting: waiting(existing), ready: ready(loose), limit }
    const planned = planDeliveries(work, () => 'dlv_new')
    expect(whereMoreWaits({ ...work, planned })).toEqual([{ key: 'a', hasMore: expected }])
  })
})
