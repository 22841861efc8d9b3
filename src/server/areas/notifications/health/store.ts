import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ChannelRow } from '../channels/store.ts'

/** A channel that admins were not told of since it began to fail. */
export type FailingChannel = Pick<ChannelRow, 'id' | 'org_id' | 'kind' | 'label'> & {
  address: string | null
  failing_since: Date
  failures: number
  /** Why nothing is sent any more; null while attempts go on. */
  disabled_reason: string | null
}

type FailingLimits = {
  /** A channel that fails since before this time counts as failing when at least two messages were lost. */
  since: Date
  /** So many lost messages in a row count without regard to the time. */
  failures: number
}

/** A channel that is disabled because it does not exist any more counts at once. */
export async function readFailing(
  db: Querier,
  { since, failures }: FailingLimits,
  { after, limit }: { after: string; limit: number },
): Promise<FailingChannel[]> {
  return db.query(sql`
    select id, org_id, kind, label, settings ->> 'address' as address, failing_since, failures,
      case when state = 'disabled' then disabled_reason end as disabled_reason
    from notifications.channels
    where failing_since is not null and failure_mailed_at is null and id > ${after}
      and (failures >= ${failures} or failures >= 2 and failing_since <= ${since}
        or state = 'disabled' and disabled_reason is not null)
    order by id limit ${limit}`)
}

/** Ends the question for this incident. A message that arrives begins a new one. */
export async function markMailed(tx: Tx, { id, failing_since }: FailingChannel): Promise<void> {
  await tx.query(sql`
    update notifications.channels set failure_mailed_at = clock_timestamp()
    where id = ${id} and failing_since = ${failing_since}`)
}
