import type { DestinationKind } from '#contract/notifications/channels.ts'
import { newId } from '#edge/ids.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Loop } from '#lib/work/loop.ts'
import { type DigestTiming, windowEnd } from '../model/window.ts'
import { wakeDestinations } from '../queue/enqueue.ts'
import { timezoneOf } from '../settings/store.ts'

const POLL_SECONDS = 20
const DIGESTS_PER_TICK = 100

type DueDigest = {
  org_id: string
  digest_key: string
  digest_timing: DigestTiming
  window_end: Date
  destination_key: string
  kind: DestinationKind
  channel_id: string | null
  user_id: string | null
}

/**
 * Makes one delivery of the notifications of each digest window that ended. Any number of processes can do so at once:
 * a window has one delivery by its unique key.
 */
export function digestLoop({ db }: { db: Db }): Loop {
  return {
    name: 'notifications-digests',
    tick: async (now, signal) => {
      for (let due = await readDue(db, now); due.length > 0 && !signal.aborted; due = await readDue(db, now)) {
        for (const digest of due) await closeWindow(db, digest, now)
      }
      return new Date(now.getTime() + POLL_SECONDS * 1000)
    },
  }
}

async function readDue(db: Db, now: Date): Promise<DueDigest[]> {
  return db.query(sql`
    select org_id, digest_key, digest_timing, window_end, destination_key, kind, channel_id, user_id
    from notifications.notifications
    where window_end <= ${now} and delivery_id is null and dropped_reason is null
    group by org_id, digest_key, digest_timing, window_end, destination_key, kind, channel_id, user_id
    order by window_end
    limit ${DIGESTS_PER_TICK}`)
}

async function closeWindow(db: Db, digest: DueDigest, now: Date): Promise<void> {
  await db.tx(async (tx) => {
    const deliveryId = await addDelivery(tx, digest)
    if (deliveryId === undefined) return moveLate(tx, digest, now)
    await tx.query(sql`
      update notifications.notifications set delivery_id = ${deliveryId}
      where digest_key = ${digest.digest_key} and window_end = ${digest.window_end}
        and delivery_id is null and dropped_reason is null`)
    await wakeDestinations(tx, [digest])
  })
}

/** Undefined when the window was closed before. */
async function addDelivery(tx: Tx, digest: DueDigest): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    insert into notifications.deliveries (id, org_id, destination_key, kind, channel_id, user_id, digest_key,
      window_end, state, next_at, created_at)
    values (${newId('dlv')}, ${digest.org_id}, ${digest.destination_key}, ${digest.kind}, ${digest.channel_id},
      ${digest.user_id}, ${digest.digest_key}, ${digest.window_end}, 'pending', clock_timestamp(), clock_timestamp())
    on conflict (digest_key, window_end) do nothing
    returning id`)
  return row?.id
}

/** A notification that was stored after its window was closed goes into the next one. */
async function moveLate(tx: Tx, digest: DueDigest, now: Date): Promise<void> {
  const next = windowEnd(digest.digest_timing, await timezoneOf(tx, digest.org_id), now)
  await tx.query(sql`
    update notifications.notifications set window_end = ${next}
    where digest_key = ${digest.digest_key} and window_end = ${digest.window_end}
      and delivery_id is null and dropped_reason is null`)
}
