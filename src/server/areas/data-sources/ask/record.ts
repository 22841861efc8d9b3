import type { Member, Via } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, withValues } from '#lib/db/sql.ts'
import { gather } from '#lib/gather.ts'
import type { SentFilters } from '../search/filters.ts'
import { checkedInsertion, type SourceVersion } from './store.ts'

/** What Activity records of a question. It stores digests of the text and the filters, not the text and the filters. */
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
  const statement = checkedInsertion(activity.insertion([]))
  const insert = gather(async (batch: readonly { draft: Draft; sourceId: string | null }[]) => {
    const { values } = activity.insertion(batch.map(({ draft }) => draft))
    const ids = batch.map(({ sourceId }) => sourceId)
    const rows = await db.query<SourceVersion>(withValues(statement, [...values, ids]))
    const versions = new Map(rows.map(({ id, version }) => [id, version]))
    return ids.map((id) => (id === null ? undefined : versions.get(id)))
  })
  return {
    /** `version` resolves once the record is durable, to the version that the source had then; undefined if none. */
    write(question: RecordedQuestion, sourceId: string | null): WrittenRecord {
      const draft = activity.draft(question)
      return { id: draft.id, version: insert({ draft, sourceId }) }
    },
    complete: (id: string, outcome: Outcome): void => activity.complete(id, outcome),
  }
}

export type WrittenRecord = { readonly id: string; readonly version: Promise<string | undefined> }
