import { ServiceError } from '#contract/core/errors.ts'
import { findPending } from '#lib/db/migrate/migrate.ts'
import { createLog } from '#lib/log/log.ts'
import { countParkable, type Parkable, parkDeliveries } from '../areas/notifications/index.ts'
import { readStoreSettings } from '../config/config.ts'
import type { Environment } from '../config/reader.ts'
import { takeDataFolder } from '../process/data-folder.ts'
import { openDatabase } from '../process/open-database.ts'
import { allMigrations } from '../process/schema.ts'

type Print = (line: string) => void

/**
 * Parks the notifications that a restored backup would send again. Without `isConfirmed` it only counts them. Needs no
 * secrets.
 */
export async function runPark(env: Environment, print: Print, isConfirmed: boolean): Promise<void> {
  const settings = readStoreSettings(env)
  await using stack = new AsyncDisposableStack()
  if (settings.databaseUrl === undefined) takeDataFolder(settings.dataDir, stack)
  const db = stack.use(await openDatabase(settings, createLog('warn')))
  const { pending } = await findPending(db, allMigrations())
  if (pending.length > 0) {
    const text = 'The database was created by an earlier version. Run svc-server migrate, then repeat.'
    throw new ServiceError('CONFLICT', text)
  }
  if (isConfirmed) {
    printCounts(print, 'Parked:', await parkDeliveries(db, new Date()))
    print('Nothing of this is sent by itself. Admins see it in the ledger as parked_after_restore and can resend it.')
    return
  }
  printCounts(print, 'Would be parked:', await countParkable(db))
  print('Nothing was changed. Stop all servers, then run svc-server park-deliveries --confirm.')
}

function printCounts(print: Print, title: string, { deliveries, notifications, events }: Parkable): void {
  print(title)
  print(`  messages that wait or were being sent: ${deliveries}`)
  print(`  notifications that are in no message yet: ${notifications}`)
  print(`  events that are not matched to subscriptions yet: ${events}`)
}
