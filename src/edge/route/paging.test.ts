import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ID_PREFIXES } from '#contract/core/ids.ts'
import { newId } from '../ids.ts'
import { readCursor, toPage } from './paging.ts'

const rows = [{ id: 'org_c' }, { id: 'org_b' }, { id: 'org_a' }]
const present = ({ id }: { id: string }) => id

const encoded = (text: string) => Buffer.from(text).toString('base64url')

describe('toPage', () => {
  it('a row beyond the limit is not returned and sets next_cursor', () => {
    expect(toPage(rows, 2, present)).toEqual({ items: ['org_c', 'org_b'], next_cursor: encoded('c1:org_b') })
  })

  it('the last page has no cursor, also when it is exactly full', () => {
    expect(toPage(rows, 3, present)).toEqual({ items: ['org_c', 'org_b', 'org_a'], next_cursor: null })
    expect(toPage(rows, 4, present).next_cursor).toBeNull()
  })

  it('no rows are an empty page', () => {
    expect(toPage([], 10, present)).toEqual({ items: [], next_cursor: null })
  })
})

describe('readCursor', () => {
  it('no cursor is the first page', () => {
    expect(readCursor(undefined)).toBeNull()
  })

  it('a cursor names the last id of the page before, whatever its prefix', () => {
    for (const prefix of ID_PREFIXES) {
      const id = newId(prefix)
      const { next_cursor } = toPage([{ id }, { id: 'next' }], 1, present)
      expect(readCursor(next_cursor!)).toBe(id)
    }
  })

  it('walking a list page by page shows every row once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 15 }), (size, limit) => {
        const list = Array.from({ length: size }, () => ({ id: newId('evt') })).toReversed()
        const seen: string[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const after = readCursor(cursor)
          const left = after === null ? list : list.filter(({ id }) => id < after)
          const page = toPage(left.slice(0, limit + 1), limit, present)
          seen.push(...page.items)
          cursor = page.next_cursor
        }
        expect(seen).toEqual(list.map(present))
      }),
    )
  })

  it.each([
    '',
    'nonsense',
    '☃',
    encoded('org_01arz3ndektsv4rrffq69g5fav'),
    encoded('c2:org_01arz3ndektsv4rrffq69g5fav'),
    encoded('c1:org_short'),
    encoded("c1:org_01arz3ndektsv4rrffq69g5fa'"),
    encoded('c1:org_01arz3ndektsv4rrffq69g5fav\n'),
    encoded('c1:organization_01arz3ndektsv4rrffq69g5fav'),
  ])('%j is refused with a message', (cursor) => {
    expect(() => readCursor(cursor)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: 'cursor: must be a `next_cursor` of this list' }),
    )
  })
})
