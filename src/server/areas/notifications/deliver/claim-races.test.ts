import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { newNotification } from '#test/deliveries/new-notification.ts'
import { raceClaims } from '#test/work/claim-races.ts'
import { addNotifications } from '../store/enqueue.ts'
import { deliveryJobs } from './job.ts'
import { reapLoop } from './reap.ts'
import { DELIVERY_JOBS } from './release.ts'

const waiting = () => newNotification({ destination_key: `webhook:${newId('chn')}` })

raceClaims('deliveries', {
  jobs: DELIVERY_JOBS,
  kindOf: (db: Db) => deliveryJobs({ db } as Parameters<typeof deliveryJobs>[0], { first: 8, retry: 1 })[0]!,
  make: (db, count) => db.tx((tx) => addNotifications(tx, Array.from({ length: count }, waiting))),
  takeOver: (db) => reapLoop({ db }).tick(new Date(), new AbortController().signal),
})
