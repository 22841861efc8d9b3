import { describe, expect, it } from 'vitest'
import { lowestIdAt, makeId, timeOfId } from './ids.ts'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const bitsOf = (id: string) =>
  id.slice(id.indexOf('_') + 1).replace(/./g, (digit) => DIGITS.indexOf(digit).toString(2).padStart(5, '0'))

describe('an id', () => {
  it.each(['org', 'ids', 'x'])('of %s is its prefix and 26 characters', (prefix) => {
    const id = makeId(prefix)
    expect(id).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
  })

  it('is a UUID of version 7 that contains its time', () => {
    const now = Date.now() + 60_000
    const bits = bitsOf(makeId('ids', now)).slice(2)
    expect(Number.parseInt(bits.slice(0, 48), 2)).toBe(now)
    expect([bits.length, bits.slice(48, 52), bits.slice(64, 66)]).toEqual([128, '0111', '10'])
  })

  it('sorts after all earlier ones, 100,000 in a row', () => {
    let last = makeId('ids')
    for (let count = 0; count < 100_000; count += 1) {
      const id = makeId('ids')
      if (id <= last) expect([last, id]).toEqual(['smaller', 'larger'])
      last = id
    }
  })

  it('sorts after all earlier ones, also when the clock stands still or goes back', () => {
    const now = Date.now() + 120_000
    const ids = [now, now, now - 1_000, now - 60_000, now, now + 1].map((ms) => makeId('ids', ms))
    const still = Array.from({ length: 10_000 }, () => makeId('ids', now))
    const all = [...ids, ...still]
    expect(all.toSorted()).toEqual(all)
    expect(new Set(all).size).toBe(all.length)
  })

  it('cannot be guessed from the one before it', () => {
    const tails = Array.from({ length: 10_000 }, () => makeId('ids').slice(-12))
    expect(new Set(tails).size).toBe(10_000)
  })

  it('has a border between the ids of one millisecond and those of the one before', () => {
    const now = Date.now() + 600_000
    const [before, at] = [makeId('ids', now - 1), makeId('ids', now)]
    expect([lowestIdAt('ids', now), before, at].toSorted()).toEqual([before, lowestIdAt('ids', now), at])
    expect(lowestIdAt('ids', now)).toHaveLength(at.length)
    expect([lowestIdAt('ids', now), before, at].map(timeOfId)).toEqual([now, now - 1, now])
  })
})
