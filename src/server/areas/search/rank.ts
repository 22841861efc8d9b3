import { rankText } from '#contract/core/text-rank.ts'
import { MAX_SEARCH_HITS, SEARCH_KINDS, type SearchHit } from '#contract/search.ts'

/** Sorts the hits of all kinds, the best first, and returns as many as an answer has. */
export function rankHits(hits: readonly SearchHit[], text: string): SearchHit[] {
  const ranked = hits.map((hit) => ({ hit, rank: rankText(namesOf(hit), text) }))
  return ranked
    .toSorted((a, b) => a.rank - b.rank || kindOrder(a.hit) - kindOrder(b.hit))
    .slice(0, MAX_SEARCH_HITS)
    .map(({ hit }) => hit)
}

/** An app is also named by its alias and a person by their address, which are their subtitles. */
function namesOf({ kind, id, title, subtitle }: SearchHit): string[] {
  return kind === 'app' || kind === 'person' ? [id, title, subtitle] : [id, title]
}

function kindOrder({ kind }: SearchHit): number {
  return SEARCH_KINDS.indexOf(kind)
}
