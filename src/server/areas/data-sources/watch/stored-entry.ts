import { hash } from 'node:crypto'
import { z } from 'zod'
import { VectorFindingKind } from '#contract/data-sources/vectors.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { Check } from './checks.ts'
import { Recipe } from './recipe.ts'

/** Findings of the nights for one entry. */
export const WatchedEntry = z.object({
  entry: z.string().describe('Digest of what was looked at. Another one begins anew'),
  looked_at: z.iso.datetime().nullable(),
  is_possible: z.boolean(),
  reason: z.string().nullable(),
  recipe: Recipe.nullable(),
  recipe_sought_at: z.iso.datetime().nullable(),
  checks: z.partialRecord(VectorFindingKind, Check),
  not_checked: z.array(z.object({ kind: VectorFindingKind, reason: z.string() })),
})
export type WatchedEntry = z.infer<typeof WatchedEntry>

/** The entries of a source by label. What this release cannot read begins anew. */
export const WatchedEntries = z.record(z.string(), WatchedEntry).catch({})

function digestOf({ schema, table, vector_column, vector_type, model, dimensions, content }: ResolvedEntry) {
  const looked = [schema, table, vector_column, vector_type, model, dimensions, content.map(({ name }) => name)]
  return hash('sha256', JSON.stringify(looked)).slice(0, 16)
}

/** The state of an entry, or that of one that was never looked at if it was configured otherwise then. */
export function watchedOf(entries: Readonly<Record<string, WatchedEntry>>, entry: ResolvedEntry): WatchedEntry {
  const stored = entries[entry.label]
  if (stored?.entry === digestOf(entry)) return stored
  return {
    entry: digestOf(entry),
    looked_at: null,
    is_possible: true,
    reason: null,
    recipe: null,
    recipe_sought_at: null,
    checks: {},
    not_checked: [],
  }
}
