import { querySource } from '#contract/data-sources.ts'
import { ServiceError } from '#contract/errors.ts'
import { roleAtLeast } from '#contract/roles.ts'
import { encode } from '#edge/negotiate.ts'
import { toServiceError } from '#edge/problem.ts'
import { type Context, type Member, type Route, route, type Via } from '#edge/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { gather } from '#lib/gather.ts'
import type { ResolvedEntry } from '../configure/resolved.ts'
import { type Hit, truncateAnswer } from '../truncate.ts'
import { checkFilters, type Filter, type Filters } from './filters.ts'
import type { Reader } from './nearest.ts'
import { mergeHits } from './rank.ts'
import { searchEntry } from './search.ts'
import { type AskedSource, findAsked } from './store.ts'
import { bindVector } from './vector.ts'

/** What Activity keeps of a question; the text goes no further than its digest. */
export type Asked = {
  org_id: string
  target: string
  source: Via
  principal: Member
  question: string
  filters: Filters
  counted: boolean
}

export type AskDeps = {
  db: Querier
  embed: (model: string, texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>
  /** Inside the managed database, as its reader. */
  openReader: (orgId: string, databaseName: string) => Promise<Reader>
  /** Throws when the organization has asked enough for now. */
  spend: (orgId: string) => Promise<void>
  activity: {
    /** Durable when it returns: without a record there is no answer. */
    begin(asked: Asked): Promise<{ id: string }>
    complete(id: string, outcome: { status: number; duration_ms: number; answer_bytes: number }): void
  }
}

type Input = { id: string; query: string; filters: Filters; top_k: number; target?: string | undefined }

export function askRoute(deps: AskDeps): Route {
  const find = gather((wanted: readonly { org_id: string; id: string }[]) => findAsked(deps.db, wanted))
  return route(querySource, async (input, context) => {
    const started = performance.now()
    const source = await find({ org_id: context.principal.org_id, id: input.id })
    const asked = toAsked(input, context, source)
    let recording: Promise<{ id: string }> | undefined
    const complete = async (status: number, answer_bytes: number) => {
      recording ??= deps.activity.begin({ ...asked, counted: false })
      const { id } = await recording
      deps.activity.complete(id, { status, duration_ms: performance.now() - started, answer_bytes })
    }
    try {
      const ready = admit(source, input, context.principal)
      await deps.spend(asked.org_id)
      // At once: the record must be durable before the answer goes out, not before the search begins.
      recording = deps.activity.begin({ ...asked, counted: true })
      const [hits] = await Promise.all([search(deps, ready, input, context), recording])
      const answer = truncateAnswer(hits, context.format)
      await complete(200, Buffer.byteLength(encode(answer, context.format).body))
      return answer
    } catch (error) {
      await complete(toServiceError(error).status, 0)
      throw error
    }
  })
}

type Ready = { source: AskedSource; entries: readonly ResolvedEntry[]; filters: readonly Filter[] }

/** The one place that decides who may ask what. Unknown, not exposed and switched off are the same 404. */
function admit(source: AskedSource | undefined, input: Input, principal: Member): Ready {
  if (!source) throw new ServiceError('NOT_FOUND', 'no such data source')
  if (!roleAtLeast(principal.role, source.min_role)) {
    throw new ServiceError('FORBIDDEN', `needs the role ${source.min_role} or above; you are ${principal.role}`)
  }
  if (source.search === null || source.search.length === 0) {
    throw new ServiceError('NO_SEARCH_CONFIGURED', 'this data source has no semantic search configured')
  }
  const filters = checkFilters(input.filters, source.filter_schema)
  return { source, filters, entries: chooseEntries(source.search, input.target, filters) }
}

/** An entry without a column that is filtered on has no matching row; to ask it alone is a mistake worth telling. */
function chooseEntries(all: readonly ResolvedEntry[], target: string | undefined, filters: readonly Filter[]) {
  const fits = (entry: ResolvedEntry) => filters.every(({ column }) => Object.hasOwn(entry.filters, column))
  if (target === undefined) return all.filter(fits)
  const entry = all.find(({ label }) => label === target)
  if (!entry) throw badTarget(`there is no such label. Labels: ${all.map(({ label }) => label).join(', ')}`)
  if (!fits(entry)) throw badTarget('cannot be filtered on all of these columns')
  return [entry]
}

function badTarget(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `target: ${message}`, { errors: [{ path: 'target', message }] })
}

async function search(deps: AskDeps, ready: Ready, input: Input, { signal }: Context): Promise<Hit[]> {
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
async function embedOnce(deps: AskDeps, entries: readonly ResolvedEntry[], question: string, signal: AbortSignal) {
  const models = [...new Set(entries.map(({ model }) => model))]
  const embedded = await Promise.all(
    models.map(async (model) => {
      const [vector] = await deps.embed(model, [question], signal)
      return [model, vector!] as const
    }),
  )
  return new Map(embedded)
}

function toAsked(
  input: Input,
  { principal, via }: Context<Member>,
  source: AskedSource | undefined,
): Omit<Asked, 'counted'> {
  const { org_id } = principal
  // What was not found may be any text: it is not kept.
  const target = source ? `db_${source.database_name}` : 'unknown'
  return { org_id, target, source: via, principal, question: input.query, filters: input.filters }
}
