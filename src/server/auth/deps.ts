import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'

/** Keys of the current pair of signing secrets, one per purpose. */
export type AuthKeys = { readonly epoch: string; readonly apiToken: Buffer }

export type AuthDeps = { readonly db: Db; readonly clock: Clock; readonly keys: AuthKeys }
