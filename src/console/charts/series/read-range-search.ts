import { oneOf, searchOf } from '#console/address/search.ts'

/** The part of the time that charts show. Without it, they show the last day. */
export const readRangeSearch = searchOf({ within: oneOf(['1h', '14d']) })
export type RangeSearch = ReturnType<typeof readRangeSearch>
