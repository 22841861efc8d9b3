import type { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { listKnownValues, MAX_KNOWN_VALUES } from '#contract/data-sources/known-values.ts'
import { toServiceError } from '#edge/format/problem.ts'
import { type Context, type Member, type Route, route } from '#edge/route/route.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { readKnownValues } from '../search/known-values-store.ts'
import type { OpenReader } from '../search/reader.ts'
import { sourceIdOf } from '../search/source-id.ts'
import { admit, personSettingsOf, unfinishedSource } from './admit.ts'
import { recordingRefusals } from './ask.ts'
import type { QuestionDeps } from './question.ts'
import type { FoundSource } from './sources.ts'

type Deps = QuestionDeps & { readonly openReader: OpenReader }
type Input = z.output<typeof listKnownValues.input>
type Answer = z.output<typeof listKnownValues.output>
type ValuesRequest = { readonly input: Input; readonly context: Context<Member>; readonly found: FoundSource }

/**
 * Lists values by the rules of questions, since they are read from the same rows: the same role, one question of the
 * quota, a record before anything is read, and the policies of the person.
 */
export function knownValuesRoute(deps: Deps): Route {
  return route(
    listKnownValues,
    async (input, context) => {
      const startedMs = performance.now()
      const { principal, via } = context
      const { org_id } = principal
      const found = await deps.sources.find({ org_id, id: input.id })
      // The id of a source that does not exist may be any text, so it is not stored.
      const target = found.database_name === undefined ? 'unknown' : sourceIdOf(found.database_name)
      const question = `values of ${input.column}`
      const recorded = { org_id, target, source: via, principal, question, filters: {} }
      const record = deps.records.write(recorded, found.source?.id ?? null)
      const state = { isCounted: false }
      const settle = (status: number, answer_bytes: number) =>
        deps.records.complete(record.id, {
          status,
          answer_bytes,
          counted: state.isCounted,
          duration_ms: performance.now() - startedMs,
        })
      const version = await record.version
      try {
        const answer = await answerValues(deps, { input, context, found }, version, state)
        settle(200, Buffer.byteLength(JSON.stringify(answer)))
        return answer
      } catch (error) {
        settle(toServiceError(error).status, 0)
        throw error
      }
    },
    recordingRefusals(deps),
  )
}

async function answerValues(
  deps: Deps,
  { input: { id, column, target }, context: { principal }, found }: ValuesRequest,
  version: string | undefined,
  state: { isCounted: boolean },
): Promise<Answer> {
  const { org_id } = principal
  if (!found.source && deps.isUnfinished({ org_id, id })) throw unfinishedSource()
  const like = { id, query: '', filters: {}, top_k: 1, target }
  const { source, entries } = admit(found.source, like, principal)
  // The record was made under another configuration: it may have another minimum role or other columns.
  if (version !== source.version) throw changedMeanwhile()
  const settings = personSettingsOf(source)
  const person = settings && (await deps.personValues(settings, principal))
  const holding = holdingColumn(entries, column)
  await deps.allowance.spend(org_id)
  state.isCounted = true
  const reader = await deps.openReader(org_id, source.database_name)
  const read = []
  for (const entry of holding) read.push(await readKnownValues(reader, entry, column, person))
  const values = [...new Set(read.flatMap((each) => each.values))]
  const isFew = values.length <= MAX_KNOWN_VALUES
  return { values: isFew ? values.toSorted() : [], complete: isFew && read.every(({ isComplete }) => isComplete) }
}

/** Entries whose column a question can filter on, and whose hits show it. */
function holdingColumn(entries: readonly ResolvedEntry[], column: string): readonly ResolvedEntry[] {
  const holding = entries.filter(
    ({ filters, content }) => Object.hasOwn(filters, column) && content.some(({ name }) => name === column),
  )
  if (holding.length > 0) return holding
  const message = 'must be a column that questions can filter on and that answers show'
  throw new ServiceError('INVALID_REQUEST', `column: ${message}`, { errors: [{ path: 'column', message }] })
}

function changedMeanwhile(): ServiceError {
  return new ServiceError('SOURCE_CHANGED', 'The data source was changed at this moment. Try again.')
}
