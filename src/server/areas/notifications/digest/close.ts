import type { Db, Tx } from '#lib/db/db.ts'
import { createAttempts } from '#lib/work/attempts.ts'
import type { Loop } from '#lib/work/loop.ts'
import { windowEnd } from '../model/window.ts'
import { timezoneOf } from '../settings/store.ts'
import { addDelivery } from '../store/deliveries.ts'
import { wakeDestinations } from '../store/enqueue.ts'
import { type DueDigest, moveNotifications, readDue } from './store.ts'

const POLL_SECONDS = 30
const DIGESTS_PER_PAGE = 100

/**
 * Makes one delivery of the notifications of each digest window that ended. Any number of processes can do so at once:
 * a window has one delivery by its unique key.
 */
export function digestLoop({ db, onError }: { db: Db; onError: (error: unknown) => void }): Loop {
  const attempt = createAttempts('digest', onError)
  return {
    name: 'notifications-digests',
    tick: async (now, signal) => {
      for (let after: DueDigest | undefined; !signal.aborted; ) {
        const page = await readDue(db, now, { after, limit: DIGESTS_PER_PAGE })
        for (const digest of page) await attempt(digest.digest_key, now, () => closeWindow(db, digest, now))
        if (page.length < DIGESTS_PER_PAGE) break
        after = page.at(-1)
      }
      return new Date(now.getTime() + POLL_SECONDS * 1000)
    },
  }
}

async function closeWindow(db: Db, digest: DueDigest, now: Date): Promise<void> {
  await db.tx(async (tx) => {
    const deliveryId = await addDelivery(tx, digest)
    // The window was closed before.
    if (deliveryId === undefined) return moveLate(tx, digest, now)
    await moveNotifications(tx, digest, { delivery: deliveryId })
    await wakeDestinations(tx, [digest])
  })
}

/** A notification that was stored after its window was closed goes into the next one. */
async function moveLate(tx: Tx, digest: DueDigest, now: Date): Promise<void> {
  const next = windowEnd(digest.digest_timing, await timezoneOf(tx, digest.org_id), now)
  await moveNotifications(tx, digest, { window: next })
}
