import { z } from 'zod'
import type { VectorFindingKind } from '#contract/data-sources/vectors.ts'

const Night = z.object({ at: z.iso.datetime(), seen: z.number(), of: z.number() })

/** How often a fault was seen in the last nights. */
export const Check = z.object({
  nights: z.array(Night),
  first_seen: z.iso.datetime().nullable(),
  rows: z.array(z.string()).default([]).describe('Digests of ids of rows, for faults that SQL cannot find'),
  fewer: z.enum(['normalised', 'raw']).optional().describe('Of vectors of two kinds, the kind that is listed'),
  common: z.object({ same_subject: z.number(), limit: z.number() }).optional().describe('As `findStrangers` has them'),
})
export type Check = z.infer<typeof Check>

/** Rows with a fault that one night saw, and those that it looked at. */
export type Seen = { readonly seen: number; readonly of: number } & Partial<Pick<Check, 'rows' | 'fewer' | 'common'>>

const NIGHTS = 7
const MAX_LISTED_ROWS = 50
/** Rows that must be seen before a fault is reported. One that could be chance or a moment needs more. */
const MIN_SEEN: Readonly<Record<VectorFindingKind, number>> = {
  missing: 2,
  dimensions: 1,
  zero: 1,
  constant: 1,
  duplicate: 3,
  norms: 3,
  models: 4,
  stale: 2,
  grown: 1,
}
/**
 * Rows without a vector are usual for a moment in a table that is written to. Of 400 rows of one model, up to one looked
 * like one of another model (package descriptions, titles, paragraphs).
 */
const MIN_SHARE: Partial<Record<VectorFindingKind, number>> = { missing: 0.001, models: 0.006 }
/** A fault is gone when nights saw none of it that should have seen this many rows. The chance of an error is 0.7 %. */
const EXPECTED_IF_PRESENT = 5

export function addNight(kind: VectorFindingKind, before: Check | undefined, at: Date, night: Seen): Check {
  const { seen, of, rows = [], fewer = before?.fewer, common = before?.common } = night
  const nights = withoutRepaired([...(before?.nights ?? []), { at: at.toISOString(), seen, of }]).slice(
    kind === 'grown' ? -1 : -NIGHTS,
  )
  const isSeen = nights.some((each) => each.seen > 0)
  const check = {
    nights,
    rows: isSeen ? [...new Set([...rows, ...(before?.rows ?? [])])].slice(0, MAX_LISTED_ROWS) : [],
    first_seen: null,
    ...(fewer && { fewer }),
    ...(common && { common }),
  }
  return isFinding(kind, check) ? { ...check, first_seen: before?.first_seen ?? at.toISOString() } : check
}

/** Keeps only the nights since a repair. */
function withoutRepaired(nights: Check['nights']): Check['nights'] {
  const last = nights.findLastIndex(({ seen }) => seen > 0)
  const before = totals(nights.slice(0, last + 1))
  const since = totals(nights.slice(last + 1))
  return last >= 0 && since.of * (before.seen / before.of) >= EXPECTED_IF_PRESENT ? nights.slice(last + 1) : nights
}

export function totals(nights: Check['nights']): { seen: number; of: number } {
  return nights.reduce((sum, { seen, of }) => ({ seen: sum.seen + seen, of: sum.of + of }), { seen: 0, of: 0 })
}

export function isFinding(kind: VectorFindingKind, { nights }: Pick<Check, 'nights'>): boolean {
  const { seen, of } = totals(nights)
  return seen >= MIN_SEEN[kind] && seen >= (MIN_SHARE[kind] ?? 0) * of
}
