import type { Db } from '#lib/db/db.ts'
import { type HeldLock, LockTaken } from '#lib/db/session-lock.ts'
import type { Config } from '../config/config.ts'

/** Every release uses the same key. */
const LOCK_KEY = 7_310_022

/** Thrown at the start where the processes of a database would not share one Redis. */
export class InstallationInUse extends Error {
  override readonly name = 'InstallationInUse'
}

/**
 * Keeps a process without Redis alone on its Postgres, because it counts limits and remembers one-time ids in its own
 * memory. Processes with Redis hold the lock together. Throws InstallationInUse where that does not fit.
 */
export async function holdInstallationLock(db: Db, { redisUrl }: Pick<Config, 'redisUrl'>): Promise<HeldLock> {
  const isShared = redisUrl !== undefined
  try {
    return await db.holdLock({ key: LOCK_KEY, isShared })
  } catch (error) {
    if (!(error instanceof LockTaken)) throw error
    throw new InstallationInUse(isShared ? besideOneWithout(error) : besideAny(error), { cause: error })
  }
}

function besideAny({ holder }: LockTaken): string {
  return (
    `Another process of svc uses this database: it is ${holder}. Without REDIS_URL one process must be alone, because ` +
    'it counts limits and remembers one-time ids in its own memory. Set the same REDIS_URL for all processes, or stop ' +
    'the other one.'
  )
}

function besideOneWithout({ holder }: LockTaken): string {
  return (
    `A process of svc without REDIS_URL uses this database: it is ${holder}. It must be alone, because it counts limits ` +
    'and remembers one-time ids in its own memory. Stop it, or start it again with the REDIS_URL of this process.'
  )
}
