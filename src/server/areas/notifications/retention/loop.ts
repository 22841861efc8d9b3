import { lowestId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import type { Loop } from '#lib/work/loop.ts'
import { deleteEndedSecrets } from '../channels/webhook/secret-store.ts'
import { dropUnreadable } from '../match/unreadable-store.ts'
import { deleteDeliveries, deleteEvents, deleteInboxEntries, deleteKeptMails, deleteNotifications } from './store.ts'

/** How many days are kept. `ledger`: events with what became of them, and mails of the local mailbox. */
export type KeepDays = { readonly ledger: number; readonly inbox: number }

const DEFAULT_KEEP_DAYS: KeepDays = { ledger: 90, inbox: 180 }
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const ROWS_PER_STATEMENT = 500

/**
 * Deletes what is old and ended. What still waits is never deleted, however old it is, except for events that no
 * release has read by then: these end as dropped.
 */
export function retentionLoop({ db, keepDays = DEFAULT_KEEP_DAYS }: { db: Db; keepDays?: KeepDays }): Loop {
  return {
    name: 'notifications-retention',
    leader: true,
    tick: async (now, signal) => {
      const before = new Date(now.getTime() - keepDays.ledger * DAY_MS)
      const inboxBefore = new Date(now.getTime() - keepDays.inbox * DAY_MS)
      const limit = ROWS_PER_STATEMENT
      await repeatWhileFull(signal, limit, () => dropUnreadable(db, { beforeId: lowestId('evt', before), limit }))
      for (const step of [deleteNotifications, deleteDeliveries, deleteEvents]) {
        let after: string | undefined = ''
        while (after !== undefined && !signal.aborted) after = await step(db, { before, after, limit })
      }
      await repeatWhileFull(signal, limit, () =>
        deleteInboxEntries(db, { beforeId: lowestId('ntf', inboxBefore), limit }),
      )
      await repeatWhileFull(signal, limit, () => deleteKeptMails(db, { before, limit }))
      await deleteEndedSecrets(db, now)
      return new Date(now.getTime() + HOUR_MS)
    },
  }
}
