import type { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { previewSearch } from '#contract/data-sources/check-search.ts'
import { toServiceError } from '#edge/format/problem.ts'
import { type Context, type Member, type Route, route } from '#edge/route/route.ts'
import { toHits } from '../answer/hit.ts'
import { type Answer, truncateAnswer } from '../answer/truncate.ts'
import type { AskDeps } from '../ask/ask.ts'
import { createRecords, type Records } from '../ask/record.ts'
import { noSuchSource } from '../configure/no-such-source.ts'
import { rehearseAll } from '../configure/rehearse.ts'
import { withoutMeasuring } from '../search/choice.ts'
import { createSourceSearch, type SearchDeps } from '../search/search-source.ts'
import { sourceIdOf } from '../search/source-id.ts'
import { findTypedSource, type InspectDeps, inspectDocument } from './inspect.ts'
import { previewReader } from './preview-reader.ts'

type PreviewDeps<Draft extends { id: string }> = InspectDeps &
  Pick<AskDeps<Draft>, 'spend' | 'activity'> &
  Pick<SearchDeps, 'clock' | 'embed'>

type Input = z.output<typeof previewSearch.input>
type PreviewQuestion = { readonly input: Input; readonly context: Context<Member>; readonly startedMs: number }
type QuestionToRecord = Omit<PreviewQuestion, 'input'> & { readonly query: string }
type End = { readonly status: number; readonly bytes: number; readonly isCounted: boolean }

/** Answers one question under a document that is not saved, by the rules of questions. No answer is without a record. */
export function previewRoute<Draft extends { id: string }>(deps: PreviewDeps<Draft>): Route {
  const records = createRecords(deps.db, deps.activity)
  return route(
    previewSearch,
    (input, context) => answerPreview(deps, records, { input, context, startedMs: performance.now() }),
    {
      // A question that the input rules refuse is on record too, without what was sent, as for questions.
      onRefused: async ({ error, params, startedMs }, context) => {
        const source = await findTypedSource(deps, context.principal.org_id, params.id ?? '')
        const settle = await record(records, { query: '', context, startedMs }, source?.database_name)
        settle({ status: error.status, bytes: 0, isCounted: false })
      },
    },
  )
}

async function answerPreview<Draft extends { id: string }>(
  deps: PreviewDeps<Draft>,
  records: Records,
  asked: PreviewQuestion,
): Promise<Answer> {
  const { principal, format } = asked.context
  const source = await findTypedSource(deps, principal.org_id, asked.input.id)
  const settle = await record(records, { ...asked, query: asked.input.query }, source?.database_name)
  let isCounted = false
  try {
    if (!source) throw noSuchSource()
    const search = await prepareSearch(deps, { ...source, org_id: principal.org_id }, asked)
    await deps.spend(principal.org_id)
    isCounted = true
    const { answer, bytes } = truncateAnswer(toHits((await search()).rows), format)
    settle({ status: 200, bytes, isCounted })
    return answer
  } catch (error) {
    settle({ status: toServiceError(error).status, bytes: 0, isCounted })
    throw error
  }
}

type Source = { readonly id: string; readonly org_id: string; readonly database_name: string }

/** Checks the document and returns its search. Throws if the document has faults. */
async function prepareSearch<Draft extends { id: string }>(
  deps: PreviewDeps<Draft>,
  source: Source,
  { input, context }: PreviewQuestion,
) {
  const { principal } = context
  const inspected = await inspectDocument(deps, source.database_name, { principal, document: input })
  const { findings, entries, person, preview, tablesNamingReader } = inspected
  findings.refuseProblems()
  if (entries.length === 0) throw new ServiceError('NO_SEARCH_CONFIGURED', 'The document names no table to search.')
  const [table] = tablesNamingReader
  if (table !== undefined && !preview.isReader) throw namesReader(table)
  const reader = previewReader(preview, entries)
  const rehearsed = await rehearseAll(reader, entries, person)
  rehearsed.findings.refuseProblems()
  const { clock, embed } = deps
  const search = createSourceSearch({ clock, embed, openReader: async () => reader, findMeasured: withoutMeasuring })
  const { query, top_k: limit } = input
  return () => search.run({ source, entries: rehearsed.entries, filters: [], query, limit, person, context })
}

/** Resolves once the record is durable, to a function that completes it. */
async function record(records: Records, { query, context, startedMs }: QuestionToRecord, database: string | undefined) {
  const { principal, via } = context
  const { org_id } = principal
  // The id of a source that does not exist may be any text, so it is not stored.
  const target = database === undefined ? 'unknown' : sourceIdOf(database)
  const written = records.write({ org_id, target, source: via, principal, question: query, filters: {} }, null)
  await written.version
  return ({ status, bytes, isCounted }: End) => {
    const duration_ms = performance.now() - startedMs
    records.complete(written.id, { status, answer_bytes: bytes, counted: isCounted, duration_ms })
  }
}

function namesReader(table: string): ServiceError {
  return new ServiceError(
    'CONFLICT',
    `A policy of ${table} names the role that questions use, and a preview runs as another role. Save the configuration and ask it.`,
  )
}
