import type { ServiceError } from '#contract/core/errors.ts'
import { querySource } from '#contract/data-sources/sources.ts'
import { type Context, type Member, type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { FindPersonValues } from '../search/person.ts'
import { createSourceSearch, type SearchDeps } from '../search/search-source.ts'
import { createAllowance } from './allowance.ts'
import { answerQuestion, type QuestionDeps, recordRefused } from './question.ts'
import { type Activity, createRecords } from './record.ts'
import { createSources } from './sources.ts'

export type AskDeps<Draft extends { id: string }> = SearchDeps & {
  personValues: FindPersonValues
  db: Querier
  /** Spends one question of the organization. Throws if none is left for now. */
  spend: (orgId: string) => Promise<void>
  activity: Activity<Draft>
  /** Whether the service itself is still creating the data source of this id. */
  isUnfinished: (typed: { org_id: string; id: string }) => boolean
}

/** Builds the parts that answer questions, once for all operations that do. */
export function createQuestionParts<Draft extends { id: string }>(deps: AskDeps<Draft>): QuestionDeps {
  return {
    sources: createSources(deps.db),
    records: createRecords(deps.db, deps.activity),
    allowance: createAllowance(deps.spend),
    search: createSourceSearch(deps),
    personValues: deps.personValues,
    isUnfinished: deps.isUnfinished,
  }
}

export function askRoute(parts: QuestionDeps): Route {
  return route(querySource, (input, context) => answerQuestion(parts, input, context), recordingRefusals(parts))
}

type Refusal = {
  readonly error: ServiceError
  readonly params: Readonly<Record<string, string | undefined>>
  readonly startedMs: number
}

/** Puts a question that the input rules refuse on record too, without what was sent, not even as a digest. */
export function recordingRefusals(parts: QuestionDeps) {
  return {
    onRefused: ({ error, params, startedMs }: Refusal, context: Context<Member>) => {
      const input = { id: params.id ?? '', query: '', filters: {}, top_k: 1 }
      return recordRefused(parts, { input, startedMs, status: error.status }, context)
    },
  }
}
