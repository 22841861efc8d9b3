import { describe, expect, it } from 'vitest'
import { countToEnd, orderToEnd, type Place, type UsedPlace } from './place-rule.ts'

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

/** A connection of a computer, made and last used on these days of January. */
const used = (id: string, place: string, day: number, last: number | null, over: Partial<UsedPlace> = {}) => ({
  id,
  org_id: 'org_1',
  resource: 'https://svc.example.com/mcp/platform',
  connected_from: `203.0.113.${place.length}`,
  connected_with: place,
  created_at: new Date(Date.UTC(2026, 0, day)),
  last_used_at: last === null ? null : new Date(Date.UTC(2026, 0, last)),
  ...over,
})

describe('which connection ends first', () => {
  it.each([
    [
      'the one unused for longest, if all are of different computers',
      ['off', 'desk', 'laptop'],
      [used('off', 'a', 1, 2), used('desk', 'bb', 1, 5), used('laptop', 'ccc', 1, 9)],
    ],
    [
      'a former connection of the same computer, before a computer that was off',
      ['former', 'off', 'now'],
      [used('off', 'a', 1, 2), used('former', 'bb', 3, 4), used('now', 'bb', 5, 9)],
    ],
    [
      'of several former ones the one unused for longest',
      ['never', 'former', 'off', 'now'],
      [used('off', 'a', 1, 2), used('never', 'bb', 3, null), used('former', 'bb', 4, 5), used('now', 'bb', 6, null)],
    ],
    [
      'none of two computers behind one address that are both in use',
      ['off', 'first', 'second'],
      [used('off', 'a', 1, 2), used('first', 'bb', 3, 8), used('second', 'bb', 4, 9)],
    ],
    [
      'none of one computer in two organizations',
      ['off', 'one', 'other'],
      [used('off', 'a', 1, 2), used('one', 'bb', 3, 4), used('other', 'bb', 5, 9, { org_id: 'org_2' })],
    ],
    [
      'none of one computer at two endpoints',
      ['off', 'one', 'other'],
      [
        used('off', 'a', 1, 2),
        used('one', 'bb', 3, 4),
        used('other', 'bb', 5, 9, { resource: 'https://svc.example.com/mcp/notifications' }),
      ],
    ],
    [
      'none of programs at one address that name no browser',
      ['off', 'one', 'other'],
      [
        used('off', 'a', 1, 2),
        used('one', 'bb', 3, 4, { connected_with: null }),
        used('other', 'bb', 5, 9, { connected_with: null }),
      ],
    ],
    [
      'none of unknown addresses',
      ['off', 'one', 'other'],
      [
        used('off', 'a', 1, 2),
        used('one', 'bb', 3, 4, { connected_from: null }),
        used('other', 'bb', 5, 9, { connected_from: null }),
      ],
    ],
  ])('AU-19 %s', (_, expected, connections) => {
    expect(orderToEnd(connections).map(({ id }) => id)).toEqual(expected)
  })
})
