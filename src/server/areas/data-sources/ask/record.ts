import type { Member, Via } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import { gather } from '#lib/work/gather.ts'
import type { SentFilters } from '../search/filters.ts'
import { insertionWithVersions } from './store.ts'

/** A question as Activity records it. Digests of the text and the filters are stored, never these themselves. */
export type RecordedQuestion = {
  org_id: string
  target: string
  source: Via
  principal: Member
  question: string
  filters: SentFilters
}

type Outcome = {
  status: number
  answer_bytes: number
  /** Whether it was spent from the quota in the end. */
  counted: boolean
  duration_ms: number
}

export type Activity<Draft extends { id: string }> = {
  draft(question: RecordedQuestion): Draft
  /** The statement that inserts the drafts. Its text is the same for any number of them. */
  insertion(drafts: readonly Draft[]): Sql
  complete(id: string, outcome: Outcome): void
}

export type Records = ReturnType<typeof createRecords>

/** Writes the records of questions. The questions that arrive while one is written share the next statement. */
export function createRecords<Draft extends { id: string }>(db: Querier, activity: Activity<Draft>) {
  const insertAndCheck = insertionWithVersions(db, activity.insertion([]))
  const insert = gather((batch: readonly Waiting<Draft>[]) => {
    const { values } = activity.insertion(batch.map(({ draft }) => draft))
    const sourceIds = batch.map(({ sourceId }) => sourceId)
    return insertAndCheck(values, sourceIds)
  })
  return {
    write(question: RecordedQuestion, sourceId: string | null): WrittenRecord {
      const draft = activity.draft(question)
      return { id: draft.id, version: insert({ draft, sourceId }) }
    },
    /** Ends the question of a record that was written. */
    complete(id: string, outcome: Outcome): void {
      activity.complete(id, outcome)
    },
  }
}

type Waiting<Draft> = { readonly draft: Draft; readonly sourceId: string | null }

export type WrittenRecord = {
  readonly id: string
  /** Resolves once the record is durable, to the version that the source had then; undefined if it had none. */
  readonly version: Promise<string | undefined>
}
