import { querySource } from '#contract/data-sources.ts'
import { toServiceError } from '#edge/problem.ts'
import { type Context, type Route, route } from '#edge/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { ResolvedEntry } from '../configure/resolved.ts'
import { type Hit, truncateAnswer } from '../truncate.ts'
import { admit, type Ready } from './admit.ts'
import { createAllowance } from './allowance.ts'
import type { Filters } from './filters.ts'
import { mergeHits } from './rank.ts'
import { type Activity, createRecords } from './record.ts'
import { type Reader, searchEntry } from './search.ts'
import { createSources, type Sources } from './sources.ts'
import type { AskedSource, Wanted } from './store.ts'
import { bindVector } from './vector.ts'

type SearchDeps = {
  embed: (model: string, texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>
  /** Inside the managed database, as its reader. */
  openReader: (orgId: string, databaseName: string) => Promise<Reader>
}

export type AskDeps<Draft extends { id: string }> = SearchDeps & {
  db: Querier
  /** Throws when the organization has asked enough for now. */
  spend: (orgId: string) => Promise<void>
  activity: Activity<Draft>
}

type Input = { id: string; query: string; filters: Filters; top_k: number; target?: string | undefined }
type Attempt = (source: AskedSource | undefined) => Promise<{ hits: Hit[]; isCurrent: boolean }>

export function askRoute<Draft extends { id: string }>(deps: AskDeps<Draft>): Route {
  const sources = createSources(deps.db)
  const begin = createRecords(deps.db, deps.activity)
  const allowance = createAllowance(deps.spend)
  return route(querySource, async (input, context) => {
    const wanted = { org_id: context.principal.org_id, id: input.id }
    const record = begin(wanted, input, context)
    const spend = once(() => allowance.spend(wanted.org_id))
    const attempt: Attempt = async (source) => {
      record.about(source)
      const ready = admit(source, input, context.principal)
      if (allowance.wasRefused(wanted.org_id)) await spend()
      // Begun at once: what is spent and written must be there before the answer, not before the search.
      const searching = search(deps, ready, input, context)
      searching.catch(() => undefined)
      await spend()
      const version = await record.write()
      return { hits: await searching, isCurrent: version === ready.source.version }
    }
    try {
      const { answer, bytes } = truncateAnswer(await hitsOf(attempt, sources, wanted), context.format)
      await record.complete(200, bytes)
      return answer
    } catch (error) {
      await record.complete(toServiceError(error).status, 0)
      throw error
    }
  })
}

function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= run()
    return running
  }
}

/** Of the source as it is remembered, if it still was so when the record was written; else as it is looked up now. */
async function hitsOf(attempt: Attempt, sources: Sources, wanted: Wanted): Promise<Hit[]> {
  const known = sources.remembered(wanted)
  if (!known) return (await attempt(await sources.find(wanted))).hits
  const first = await attempt(known).catch((error: unknown) => ({ error }))
  if ('hits' in first && first.isCurrent) return first.hits
  const source = await sources.find(wanted)
  if ('error' in first && source?.version === known.version) throw first.error
  return (await attempt(source)).hits
}

async function search(deps: SearchDeps, ready: Ready, input: Input, { signal }: Context): Promise<Hit[]> {
  const { source, entries, filters } = ready
  const vectors = await embedOnce(deps, entries, input.query, signal)
  const db = await deps.openReader(source.org_id, source.database_name)
  const found = await Promise.all(
    entries.map(async (entry) => ({
      entry,
      hits: await searchEntry(db, {
        entry,
        filters,
        vector: bindVector(vectors.get(entry.model)!, entry.vector_type),
        limit: input.top_k,
      }),
    })),
  )
  return mergeHits(found, input.top_k)
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
