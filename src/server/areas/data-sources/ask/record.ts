import type { Context, Member, Via } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import { gather } from '#lib/gather.ts'
import type { Filters } from '../search/filters.ts'
import { type AskedSource, writeAndCheck } from './store.ts'

/** What Activity keeps of a question; the text goes no further than its digest. */
export type Asked = {
  org_id: string
  target: string
  source: Via
  principal: Member
  question: string
  filters: Filters
}

export type Activity<Draft extends { id: string }> = {
  draft(asked: Asked): Draft
  insertion(drafts: readonly Draft[]): Sql
  complete(id: string, outcome: Outcome & { duration_ms: number }): void
}

type Input = { query: string; filters: Filters }
type Outcome = {
  status: number
  answer_bytes: number
  /** Whether it was spent in the end. */
  counted: boolean
}

/**
 * Exactly one record for each question, however often it is tried and however it ends. Without a record there is no
 * answer.
 */
export function createRecords<Draft extends { id: string }>(db: Querier, activity: Activity<Draft>) {
  // Questions that arrive together share one statement, so the disk is waited for once and not once for each.
  const insert = gather((all: readonly { draft: Draft; sourceId: string | null }[]) => {
    const writing = activity.insertion(all.map(({ draft }) => draft))
    return writeAndCheck(
      db,
      writing,
      all.map(({ sourceId }) => sourceId),
    )
  })
  return (input: Input, context: Context<Member>, startedMs = performance.now()) => {
    let source: AskedSource | undefined
    let written: { id: string; version: Promise<string | undefined> } | undefined
    const write = () => {
      const draft = activity.draft(toAsked(input, context, source))
      return { id: draft.id, version: insert({ draft, sourceId: source?.id ?? null }) }
    }
    return {
      about: (found: AskedSource | undefined): void => {
        source = found
      },
      /** Durable when it resolves, to the version the source had at that moment. */
      write: (): Promise<string | undefined> => {
        written ??= write()
        return written.version
      },
      complete: async (outcome: Outcome): Promise<void> => {
        written ??= write()
        await written.version
        activity.complete(written.id, { ...outcome, duration_ms: performance.now() - startedMs })
      },
    }
  }
}

function toAsked({ query, filters }: Input, { principal, via }: Context<Member>, source: AskedSource | undefined) {
  const { org_id } = principal
  // The id of a source that was not found may be any text, so it is not kept.
  const target = source ? `db_${source.database_name}` : 'unknown'
  return { org_id, target, source: via, principal, question: query, filters }
}
