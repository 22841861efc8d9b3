import { describe, expect, it } from 'vitest'
import { countToEnd, type Place } from './place-rule.ts'

const places = (count: number, over: Partial<Place> = {}, name = 'c'): Place[] =>
  Array.from({ length: count }, (_, n) => ({
    client_id: `${name}${n}`,
    is_of_origin: false,
    is_registered: true,
    ...over,
  }))

describe('places for one more connection', () => {
  it.each([
    ['none', [], [], 0],
    ['nine', places(9), [], 0],
    ['ten', places(10), [], 1],
    ['twelve, from a time with another limit', places(12), [], 3],
    ['nine, and eleven registrations of other agents', places(9), places(11, {}, 'o'), 1],
    ['one, and twenty registrations of other agents', places(1), places(20, {}, 'o'), 'registrations'],
    ['three of the same client, and nineteen others', places(3, { client_id: 'c' }), places(19, {}, 'o'), 3],
    ['two of the https origin', places(2, { is_of_origin: true }), [], 1],
    ['none, and two others of the https origin', [], places(2, { is_of_origin: true }, 'o'), 'origin'],
    [
      'nine of which none is registered, and nineteen others',
      places(9, { is_registered: false }),
      places(19, {}, 'o'),
      0,
    ],
  ] as const)('AU-19 with %s', (_, connections, others, expected) => {
    expect(countToEnd(connections, others, { client_id: 'asking', isRegistered: true })).toBe(expected)
  })

  it('AU-19 a client that did not register itself is limited by its connections only', () => {
    const asking = { client_id: 'asking', isRegistered: false }
    expect(countToEnd(places(9), places(30, { is_of_origin: true }, 'o'), asking)).toBe(0)
    expect(countToEnd(places(10), [], asking)).toBe(1)
  })

  it('AU-19 the asking registration itself takes no second place', () => {
    const others = places(19, {}, 'o')
    const own = [{ client_id: 'asking', is_of_origin: false, is_registered: true }]
    expect(countToEnd(own, others, { client_id: 'asking', isRegistered: true })).toBe(0)
  })
})
