import type { Querier } from '#lib/db/db.ts'
import { messageOf } from '#lib/message-of.ts'
import type { Clock } from '#lib/time/clock.ts'
import { withoutMeasuring } from '../search/choice.ts'
import { PolicyFailure } from '../search/database-errors.ts'
import { type ResolvedEntry, readStoredSearch } from '../search/entry.ts'
import type { PersonValues } from '../search/person.ts'
import type { OpenReader } from '../search/reader.ts'
import { createSourceSearch } from '../search/search-source.ts'
import { type ConfiguredSource, findConfiguredSources } from './store.ts'

/** A source that was asked a question: how many hits came back, or why none could. */
type TriedSource = { readonly id: string } & ({ readonly hits: number } | { readonly fault: string })

type Deps = { readonly db: Querier; readonly clock: Clock; readonly openReader: OpenReader }

const HITS = 5

/** Asks every source one question as its reader. The vector of the question is made up, so that no model is called. */
export async function trySources({ db, clock, openReader }: Deps): Promise<TriedSource[]> {
  const sources = await findConfiguredSources(db)
  const tried: TriedSource[] = []
  for (const source of sources) {
    const entries = readStoredSearch(source.search) ?? []
    if (entries === 'unreadable') tried.push({ id: source.id, fault: 'its configuration cannot be read' })
    else tried.push(await trySource({ clock, openReader }, source, entries))
  }
  return tried
}

async function trySource(
  { clock, openReader }: Omit<Deps, 'db'>,
  source: ConfiguredSource,
  entries: readonly ResolvedEntry[],
): Promise<TriedSource> {
  const embed = Object.assign(async () => [anyVector(entries)], { here: () => undefined })
  const search = createSourceSearch({ clock, embed, openReader, findMeasured: withoutMeasuring })
  const context = { signal: new AbortController().signal }
  try {
    const person = nobody(entries)
    const { rows } = await search.run({ source, entries, filters: [], query: '', limit: HITS, person, context })
    return { id: source.id, hits: rows.length }
  } catch (error) {
    // A policy may cast a claim that nobody has.
    if (error instanceof PolicyFailure) return { id: source.id, hits: 0 }
    return { id: source.id, fault: messageOf(error) }
  }
}

/** Empty claims, which policies by person show no rows. */
function nobody([entry]: readonly ResolvedEntry[]): PersonValues | undefined {
  const settings = entry?.person_settings
  return settings && Object.fromEntries(Object.keys(settings).map((name) => [name, '']))
}

function anyVector([entry]: readonly ResolvedEntry[]): Float32Array {
  return new Float32Array(entry?.dimensions ?? 0).fill(1)
}
