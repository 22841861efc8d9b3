import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier } from '#lib/db/db.ts'
import { createRedactor } from '#lib/redact/redact.ts'
import type { RedactorOf } from '#ports/apps.ts'
import { openEnvironment } from './store.ts'

/** Opens the variables of an app to look for them. They are opened each time, because they change. */
export function createRedactorOf({ db, sealer }: { db: Querier; sealer: Sealer }): RedactorOf {
  return async (appId) => createRedactor(await openEnvironment(db, sealer, appId))
}
