import { MAX_SEARCH_HITS, SEARCH_KINDS, type SearchHit } from '#contract/search.ts'

/** Sorts the hits of all kinds, the best first, and returns as many as an answer has. */
export function rankHits(hits: readonly SearchHit[], text: string): SearchHit[] {
  const typed = text.toLowerCase()
  const ranked = hits.map((hit) => ({ hit, rank: Math.min(...namesOf(hit).map((name) => rankOf(name, typed))) }))
  return ranked
    .toSorted((a, b) => a.rank - b.rank || kindOrder(a.hit) - kindOrder(b.hit))
    .slice(0, MAX_SEARCH_HITS)
    .map(({ hit }) => hit)
}

/** An app is also named by its alias and a person by their address, which are their subtitles. */
function namesOf({ kind, id, title, subtitle }: SearchHit): string[] {
  return kind === 'app' || kind === 'person' ? [id, title, subtitle] : [id, title]
}

function rankOf(name: string, typed: string): number {
  const at = name.toLowerCase().indexOf(typed)
  if (at === 0) return name.length === typed.length ? 0 : 1
  if (at < 0) return 4
  return /[\p{L}\p{N}]/u.test(name[at - 1]!) ? 3 : 2
}

function kindOrder({ kind }: SearchHit): number {
  return SEARCH_KINDS.indexOf(kind)
}
