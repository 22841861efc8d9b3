import type { Principal } from '#contract/core/principal.ts'
import type { Via } from '#edge/route/route.ts'
import type { Sql } from '#lib/db/sql.ts'

/** A call as Activity records it: digests of its arguments, not the arguments. */
type RecordedCall = {
  readonly org_id: string
  readonly target: string
  readonly source: Via
  readonly principal: Principal
  /** JSON. */
  readonly arguments: string
}

type Outcome = { status: number; answer_bytes: number; counted: boolean; duration_ms: number }

export type CallActivity<Draft extends { id: string }> = {
  draftCall(call: RecordedCall): Draft
  /** The statement that inserts the drafts. */
  insertion(drafts: readonly Draft[]): Sql
  complete(id: string, outcome: Outcome): void
}
