import type { ResolvedEntry } from '../search/entry.ts'
import type { RankedRow } from '../search/merge.ts'
import { METRICS } from '../search/metrics.ts'
import type { FoundRow } from '../search/statements.ts'
import { columnText, columnValue, readTypes } from './column-values.ts'

export type Hit = { id: string; title: string | null; metadata: Record<string, unknown> }

/** Presents rows as hits: the first content column is the id, the second the title, the others are metadata. */
export function toHits(ranked: readonly RankedRow[]): Hit[] {
  let types: readonly number[] = []
  let typesText = ''
  return ranked.map(({ entry, row, relevance }) => {
    // All rows of one statement have the same types.
    if (row.types !== typesText) {
      types = readTypes(row.types)
      typesText = row.types
    }
    const hit = toHit(row, types, entry)
    if (relevance) hit.metadata._relevance = relevance
    return hit
  })
}

function toHit(row: FoundRow, types: readonly number[], { content, label, metric }: ResolvedEntry): Hit {
  const metadata: Record<string, unknown> = {}
  for (let i = 2; i < content.length; i++) metadata[content[i]!.name] = columnValue(row[`c${i}`] ?? null, types[i]!)
  metadata._score = METRICS[metric].scoreOf(row.distance)
  metadata._target = label
  return {
    id: columnText(row.c0 ?? null, types[0]!) ?? '',
    title: content.length > 1 ? columnText(row.c1 ?? null, types[1]!) : null,
    metadata,
  }
}
