import type { Principal } from '#contract/core/principal.ts'
import { newId } from '#edge/ids.ts'
import type { Via } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import type { Clock } from '#lib/time/clock.ts'
import { Completions } from './completions.ts'
import { createDigests, type Filters } from './digest.ts'
import { insertion, type NewRecord, type Outcome } from './store.ts'

/** A question as it was asked. Only digests of its text and filters are stored. */
export type Question = {
  org_id: string
  target: string
  source: Via
  principal: Pick<Principal, 'kind' | 'id' | 'user_id'>
  question: string
  filters: Filters
}

/** A call of a function. Only a digest of its arguments is stored. */
type FunctionCall = Omit<Question, 'question' | 'filters'> & { arguments: string }

export type Recorder = AsyncDisposable & {
  /** Makes the record of a question without writing it. */
  draft(asked: Question): NewRecord
  /** Makes the record of a call of a function without writing it. */
  draftCall(call: FunctionCall): NewRecord
  /** Returns the statement that writes drafts, so that a caller can run it together with a query of its own. */
  insertion(drafts: readonly NewRecord[]): Sql
  /** Records how a question ended. Written within a second, without making the caller wait. */
  complete(id: string, outcome: Outcome): void
  flush(): Promise<void>
}

export type RecorderDeps = {
  db: Querier
  clock: Clock
  /** The current `SVC_DATA_KEY`. */
  dataKey: string
  onError: (error: unknown) => void
}

export function createRecorder({ db, clock, dataKey, onError }: RecorderDeps): Recorder {
  const completions = new Completions(db, onError)
  const digestsOf = createDigests(dataKey)
  const draftOf = (type: NewRecord['type'], { principal, question, filters, ...asked }: Question): NewRecord => ({
    ...asked,
    ...digestsOf(asked.org_id, asked.target, question, filters),
    id: newId('act'),
    type,
    principal_kind: principal.kind,
    principal_id: principal.id,
    user_id: principal.user_id,
    asked_at: clock.now(),
    question_bytes: Buffer.byteLength(question),
  })
  return {
    draft: (asked) => draftOf('data_source', asked),
    draftCall: ({ arguments: sent, ...call }) => draftOf('function', { ...call, question: sent, filters: {} }),
    insertion,
    complete: (id, { duration_ms, ...outcome }) => {
      completions.add({ id, ...outcome, duration_ms: Math.round(duration_ms) })
    },
    flush: () => completions.flush(),
    [Symbol.asyncDispose]: () => completions[Symbol.asyncDispose](),
  }
}
