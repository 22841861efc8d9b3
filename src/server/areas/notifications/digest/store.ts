import type { DestinationKind } from '#contract/notifications/channels.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Addressed } from '../model/notification.ts'
import type { DigestTiming } from '../model/window.ts'

export type DueDigest = Addressed & {
  kind: DestinationKind
  digest_key: string
  digest_timing: DigestTiming
  window_end: Date
}

type Page = { after: DueDigest | undefined; limit: number }

/** Digest windows that ended and have notifications in no message, those that ended first before the others. */
export async function readDue(db: Querier, now: Date, { after, limit }: Page): Promise<DueDigest[]> {
  return db.query(sql`
    select org_id, digest_key, digest_timing, window_end, destination_key, kind, channel_id, user_id
    from notifications.notifications
    where window_end <= ${now} and delivery_id is null and dropped_reason is null
      ${after ? sql`and (window_end, digest_key) > (${after.window_end}, ${after.digest_key})` : sql``}
    group by org_id, digest_key, digest_timing, window_end, destination_key, kind, channel_id, user_id
    order by window_end, digest_key
    limit ${limit}`)
}

/** Puts the notifications of the window into a message or into another window. */
export async function moveNotifications(tx: Tx, digest: DueDigest, to: { delivery: string } | { window: Date }) {
  await tx.query(sql`
    update notifications.notifications
    set ${'delivery' in to ? sql`delivery_id = ${to.delivery}` : sql`window_end = ${to.window}`}
    where digest_key = ${digest.digest_key} and window_end = ${digest.window_end}
      and delivery_id is null and dropped_reason is null`)
}
