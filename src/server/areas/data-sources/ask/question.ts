import { ServiceError } from '#contract/core/errors.ts'
import { toServiceError } from '#edge/format/problem.ts'
import type { Context, Member } from '#edge/route/route.ts'
import { letOthersRun } from '#lib/async/let-others-run.ts'
import { toHits } from '../answer/hit.ts'
import { type Answer, truncateAnswer } from '../answer/truncate.ts'
import type { FindPersonValues } from '../search/person.ts'
import type { Ranking } from '../search/rate.ts'
import type { SourceQuery, SourceSearch } from '../search/search-source.ts'
import { sourceIdOf } from '../search/source-id.ts'
import { admit, personSettingsOf, type QuestionInput, unfinishedSource } from './admit.ts'
import type { Allowance } from './allowance.ts'
import type { RecordedQuestion, Records, WrittenRecord } from './record.ts'
import { type FoundSource, NOT_FOUND, type Sources, type TypedId } from './sources.ts'
import type { AskableSource } from './store.ts'

export type QuestionDeps = {
  readonly sources: Sources
  readonly records: Records
  readonly allowance: Allowance
  readonly search: SourceSearch
  readonly personValues: FindPersonValues
  readonly isUnfinished: (typed: TypedId) => boolean
}

/** One question on its way. It is recorded once and spent once, however often it is tried and however it ends. */
type Question = {
  readonly deps: QuestionDeps
  readonly input: QuestionInput
  readonly context: Context<Member>
  readonly startedMs: number
  readonly typed: TypedId
  /** Its source as it was found. One that cannot be asked has a name, which Activity shows to those who may know it. */
  found: FoundSource
  record: WrittenRecord | undefined
  spending: Promise<void> | undefined
}

/** Answers a question. There is no answer without a record. */
export async function answerQuestion(
  deps: QuestionDeps,
  input: QuestionInput,
  context: Context<Member>,
): Promise<Answer> {
  const question = begin(deps, input, context, performance.now())
  try {
    const { rows, verdict } = await findRows(question)
    const { answer, bytes } = truncateAnswer(toHits(rows), context.format, { verdict })
    await settle(question, { status: 200, bytes, isCounted: true })
    return answer
  } catch (error) {
    const isCounted = await isSpent(question)
    await settle(question, { status: toServiceError(error).status, bytes: 0, isCounted })
    throw error
  }
}

type Refused = { readonly input: QuestionInput; readonly startedMs: number; readonly status: number }

/** Records a question that was refused before it was asked. */
export async function recordRefused(deps: QuestionDeps, refused: Refused, context: Context<Member>): Promise<void> {
  const question = begin(deps, refused.input, context, refused.startedMs)
  await findSource(question)
  await settle(question, { status: refused.status, bytes: 0, isCounted: false })
}

function begin(deps: QuestionDeps, input: QuestionInput, context: Context<Member>, startedMs: number): Question {
  const typed = { org_id: context.principal.org_id, id: input.id }
  return { deps, input, context, startedMs, typed, found: NOT_FOUND, record: undefined, spending: undefined }
}

/** A source is rarely changed more than once while a question is on its way. */
const MAX_TRIES = 3

/**
 * Asks the remembered source if it is still current, otherwise the source as the store has it now. A question that
 * fails because its source is changed meanwhile is asked again: a save takes back the rights on columns that it no longer
 * names, also from questions that are on their way.
 */
async function findRows(question: Question): Promise<Ranking> {
  const remembered = question.deps.sources.remembered(question.typed)
  if (!remembered) return askCurrent(question, await findSource(question))
  question.found = { source: remembered, database_name: remembered.database_name }
  try {
    return await ask(question, remembered, { mustBeCurrent: true })
  } catch (error) {
    // The reason of the refusal may have been removed since the source was remembered.
    const source = await findSource(question)
    if (!(error instanceof SourceOutdated) && source?.version === remembered.version) throw error
    return askCurrent(question, source)
  }
}

async function askCurrent(question: Question, found: AskableSource | undefined): Promise<Ranking> {
  let source = found
  for (let tries = 1; ; tries++) {
    try {
      return await ask(question, source, { mustBeCurrent: false })
    } catch (error) {
      if (tries === MAX_TRIES || !isSourceChanged(error)) throw error
      const next = await findSource(question)
      if (next?.version === source?.version) throw error
      source = next
    }
  }
}

function isSourceChanged(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'SOURCE_CHANGED'
}

/** A remembered source was changed since. */
class SourceOutdated extends Error {
  override readonly name = 'SourceOutdated'
}

type Ask = { readonly mustBeCurrent: boolean }

/** Throws if the caller may not ask this, and SourceOutdated if the source must be current and was changed. */
async function ask(question: Question, source: AskableSource | undefined, { mustBeCurrent }: Ask): Promise<Ranking> {
  const { deps, input, context, typed } = question
  if (!source && deps.isUnfinished(typed)) throw unfinishedSource()
  const admitted = admit(source, input, context.principal)
  const settings = personSettingsOf(admitted.source)
  const person = settings && (await deps.personValues(settings, context.principal))
  // For an organization that was refused last time, a search would almost always be for nothing.
  if (deps.allowance.wasRefused(typed.org_id)) await spendOnce(question)
  const query = { ...admitted, query: input.query, limit: input.top_k, person, context }
  const ranking = startSearch(question, query)
  // The search takes longest, so its statement is sent before the record is made.
  if (ranking) await letOthersRun()
  const version = await recordOnce(question).version
  if (mustBeCurrent && version !== admitted.source.version) throw new SourceOutdated()
  await spendOnce(question)
  return ranking ?? deps.search.run(query)
}

/**
 * Starts the search at once where nobody outside hears of the question, which may yet be refused: only the answer has
 * to wait for the record and the quota. Returns undefined if the search must wait for them too.
 */
function startSearch(question: Question, query: SourceQuery): Promise<Ranking> | undefined {
  const ranking = question.deps.search.startHere(query)
  // Nobody awaits it if the question is refused meanwhile, and its failure would then end the process.
  ranking?.catch(() => {})
  return ranking
}

async function findSource(question: Question): Promise<AskableSource | undefined> {
  question.found = await question.deps.sources.find(question.typed)
  if (question.found.refusal !== undefined) throw question.found.refusal
  return question.found.source
}

function recordOnce(question: Question): WrittenRecord {
  question.record ??= question.deps.records.write(toRecord(question), question.found.source?.id ?? null)
  return question.record
}

/** Throws if the organization has no question left. */
function spendOnce(question: Question): Promise<void> {
  question.spending ??= question.deps.allowance.spend(question.typed.org_id)
  return question.spending
}

async function isSpent({ spending }: Question): Promise<boolean> {
  if (!spending) return false
  return spending.then(
    () => true,
    () => false,
  )
}

type End = { readonly status: number; readonly bytes: number; readonly isCounted: boolean }

async function settle(question: Question, { status, bytes, isCounted }: End): Promise<void> {
  const record = recordOnce(question)
  await record.version
  const duration_ms = performance.now() - question.startedMs
  question.deps.records.complete(record.id, { status, answer_bytes: bytes, counted: isCounted, duration_ms })
}

function toRecord({ context: { principal, via }, input: { query, filters }, found }: Question): RecordedQuestion {
  // The id of a source that does not exist may be any text, so it is not stored.
  const target = found.database_name === undefined ? 'unknown' : sourceIdOf(found.database_name)
  return { org_id: principal.org_id, target, source: via, principal, question: query, filters }
}
