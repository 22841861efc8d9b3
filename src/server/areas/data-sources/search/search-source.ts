import { ServiceError } from '#contract/core/errors.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { FindMeasured } from './choice.ts'
import { type CurrentIndexes, createCurrentIndexes } from './current-indexes.ts'
import { withoutDatabaseText } from './database-errors.ts'
import type { ResolvedEntry } from './entry.ts'
import type { Filter } from './filter-operators.ts'
import type { FoundRows } from './merge.ts'
import type { PersonValues } from './person.ts'
import { type Ranking, rate } from './rate.ts'
import type { OpenReader, Reader } from './reader.ts'
import { createEntrySearch, type SearchEntry } from './search-entry.ts'
import type { EntryQuery } from './statements.ts'
import { bindVector } from './vector.ts'

/** Embeds texts, by a provider outside where the model is not at hand. */
type Embed = ((model: string, texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>) & {
  /** Embeds a text from the cache or by the built-in model. Returns undefined if a provider would have to be asked. */
  here(model: string, text: string, context: SourceQuery['context']): Promise<Float32Array> | undefined
}

export type SearchDeps = { clock: Clock; embed: Embed; openReader: OpenReader; findMeasured: FindMeasured }

export type SourceQuery = {
  readonly source: { readonly id: string; readonly org_id: string; readonly database_name: string }
  readonly entries: readonly ResolvedEntry[]
  readonly filters: readonly Filter[]
  readonly query: string
  readonly limit: number
  /** The claims of the person who asks, where the source tells rows apart by person. */
  readonly person?: PersonValues | undefined
  /** Its signal ends the embedding. It is read only where a model is asked, because making a signal takes time. */
  readonly context: { readonly signal: AbortSignal }
}

export type SourceSearch = {
  run(query: SourceQuery): Promise<Ranking>
  /** Starts the search if nobody outside hears of the question. Returns undefined otherwise. */
  startHere(query: SourceQuery): Promise<Ranking> | undefined
}

type Vectors = ReadonlyMap<string, Promise<Float32Array>>
type Tools = { readonly indexes: CurrentIndexes; readonly searchEntry: SearchEntry }

export function createSourceSearch({ clock, embed, openReader, findMeasured }: SearchDeps): SourceSearch {
  const tools = { indexes: createCurrentIndexes(clock, findMeasured), searchEntry: createEntrySearch(clock) }
  const search = async (query: SourceQuery, vectors: Vectors): Promise<Ranking> => {
    const { source, entries, filters, limit, person } = query
    const db = await openReader(source.org_id, source.database_name)
    const found = await Promise.all(
      entries.map(async (entry) => {
        const vector = bindVector(await vectors.get(entry.model)!, entry.vector_type)
        const entryQuery = { entry, filters, vector, limit, ...(person && { person }) }
        return searchCurrent(tools, db, source.id, entryQuery)
      }),
    )
    return rate(found, limit)
  }
  return {
    run: (query) => search(query, embedAll(embed, query)),
    startHere: (query) => {
      const vectors = embedAllHere(embed, query)
      return vectors && search(query, vectors)
    },
  }
}

/** Searches with the indexes that the table has now. */
async function searchCurrent(
  { indexes, searchEntry }: Tools,
  db: Reader,
  sourceId: string,
  query: EntryQuery,
): Promise<FoundRows> {
  try {
    const { entry, calibration } = await indexes.of(db, { ...query, sourceId })
    return { entry, rows: await searchEntry(db, { ...query, entry }), calibration }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'SOURCE_CHANGED') indexes.forget(query.entry)
    throw withoutDatabaseText(error)
  }
}

/** Embeds the question once for each model, however many entries have vectors of it. */
function embedAll(embed: Embed, { entries, query, context }: SourceQuery): Vectors {
  const vectors = new Map<string, Promise<Float32Array>>()
  for (const { model } of entries) {
    if (!vectors.has(model))
      vectors.set(model, observed(embed(model, [query], context.signal).then(([vector]) => vector!)))
  }
  return vectors
}

/** Like `embedAll`. Returns undefined if a provider outside would have to be asked for any of them. */
function embedAllHere(embed: Embed, { entries, query, context }: SourceQuery): Vectors | undefined {
  const vectors = new Map<string, Promise<Float32Array>>()
  for (const { model } of entries) {
    if (vectors.has(model)) continue
    const vector = embed.here(model, query, context)
    if (!vector) return undefined
    vectors.set(model, observed(vector))
  }
  return vectors
}

/** Keeps a rejection that nobody awaits, because the search failed before, from ending the process. */
function observed<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
