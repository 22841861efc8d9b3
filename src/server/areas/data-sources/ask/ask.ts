import { ServiceError } from '#contract/core/errors.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { toServiceError } from '#edge/http/problem.ts'
import { type Context, type Member, type Refused, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Hit, truncateAnswer } from '../answer/truncate.ts'
import { type CurrentIndexes, createCurrentIndexes } from '../search/current-indexes.ts'
import { wordless } from '../search/database-errors.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { Filters } from '../search/filters.ts'
import { mergeHits } from '../search/merge.ts'
import type { Reader } from '../search/reader.ts'
import { searchEntry } from '../search/search-entry.ts'
import type { Question } from '../search/statements.ts'
import { bindVector } from '../search/vector.ts'
import { admit, type Ready } from './admit.ts'
import { createAllowance } from './allowance.ts'
import { type Activity, createRecords } from './record.ts'
import { createSources, type Sources, type Wanted } from './sources.ts'
import type { AskedSource } from './store.ts'

type SearchDeps = {
  indexes: CurrentIndexes
  embed: ((model: string, texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>) & {
    /** Whether the text is embedded without anyone outside being asked. */
    staysHere(model: string, text: string): boolean
  }
  /** Inside the managed database, as its reader. */
  openReader: (orgId: string, databaseName: string) => Promise<Reader>
}

export type AskDeps<Draft extends { id: string }> = Omit<SearchDeps, 'indexes'> & {
  clock: Clock
  db: Querier
  /** Throws when the organization has asked enough for now. */
  spend: (orgId: string) => Promise<void>
  activity: Activity<Draft>
}

type Input = { id: string; query: string; filters: Filters; top_k: number; target?: string | undefined }
type Attempt = (source: AskedSource | undefined, from: 'memory' | 'store') => Promise<Hit[] | 'changed'>

export function askRoute<Draft extends { id: string }>(deps: AskDeps<Draft>): Route {
  const sources = createSources(deps.db)
  const begin = createRecords(deps.db, deps.activity)
  const allowance = createAllowance(deps.spend)
  const searching = { ...deps, indexes: createCurrentIndexes(deps.clock) }
  const answer = async (input: Input, context: Context<Member>) => {
    const wanted = { org_id: context.principal.org_id, id: input.id }
    const record = begin(input, context)
    let spent: Promise<void> | undefined
    let counted = false
    const spend = async () => {
      spent ??= allowance.spend(wanted.org_id)
      await spent
      counted = true
    }
    const attempt: Attempt = async (source, from) => {
      record.about(source)
      const ready = admit(source, input, context.principal)
      if (allowance.wasRefused(wanted.org_id)) await spend()
      const begin = () => search(searching, ready, input, context)
      // What is written and spent must be there before the answer, not before the search; but nobody outside hears of
      // a question that may yet be refused.
      const early = ready.entries.every(({ model }) => deps.embed.staysHere(model, input.query)) ? begin() : undefined
      early?.catch(() => undefined)
      const version = await record.write()
      if (from === 'memory' && version !== ready.source.version) return 'changed'
      await spend()
      return early ?? begin()
    }
    try {
      const { answer, bytes } = truncateAnswer(await hitsOf(attempt, sources, wanted), context.format)
      await record.complete({ status: 200, answer_bytes: bytes, counted })
      return answer
    } catch (error) {
      await record.complete({ status: toServiceError(error).status, answer_bytes: 0, counted })
      throw error
    }
  }
  /** A question that the input rules refuse is on record too. Nothing that was sent is kept of it, not as a digest. */
  const onRefused = async ({ error, params, startedMs }: Refused, context: Context<Member>) => {
    const record = begin({ query: '', filters: {} }, context, startedMs)
    record.about(await sources.find({ org_id: context.principal.org_id, id: params.id! }))
    await record.complete({ status: error.status, answer_bytes: 0, counted: false })
  }
  return route(querySource, answer, { onRefused })
}

/** Of the source as it is remembered, if it still was so when the record was written; else as it is looked up now. */
async function hitsOf(attempt: Attempt, sources: Sources, wanted: Wanted): Promise<Hit[]> {
  const known = sources.remembered(wanted)
  const first = known && (await attempt(known, 'memory').catch((error: unknown) => ({ error })))
  if (Array.isArray(first)) return first
  const source = await sources.find(wanted)
  if (typeof first === 'object' && source?.version === known?.version) throw first.error
  return (await attempt(source, 'store')) as Hit[]
}

async function search(deps: SearchDeps, ready: Ready, input: Input, { signal }: Context): Promise<Hit[]> {
  const { source, entries, filters } = ready
  const vectors = await embedOnce(deps, entries, input.query, signal)
  const db = await deps.openReader(source.org_id, source.database_name)
  const found = await Promise.all(
    entries.map(async (entry) => {
      const vector = bindVector(vectors.get(entry.model)!, entry.vector_type)
      return { entry, hits: await searchCurrent(deps, db, { entry, filters, vector, limit: input.top_k }) }
    }),
  )
  return mergeHits(found, input.top_k)
}

async function searchCurrent({ indexes }: SearchDeps, db: Reader, question: Question): Promise<Hit[]> {
  try {
    return await searchEntry(db, { ...question, entry: await indexes.of(db, question) })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'SOURCE_CHANGED') indexes.forget(question.entry)
    throw wordless(error)
  }
}

/** Once per model, however many entries it filled. */
async function embedOnce(deps: SearchDeps, entries: readonly ResolvedEntry[], question: string, signal: AbortSignal) {
  const models = [...new Set(entries.map(({ model }) => model))]
  const embedded = await Promise.all(
    models.map(async (model) => {
      const [vector] = await deps.embed(model, [question], signal)
      return [model, vector!] as const
    }),
  )
  return new Map(embedded)
}
