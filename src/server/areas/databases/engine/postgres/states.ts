import { ServiceError } from '#contract/core/errors.ts'

// https://www.postgresql.org/docs/15/errcodes-appendix.html
const NOT_ALLOWED = '42501'
const STILL_NEEDED = '2BP01'
const IN_USE = '55006'
const LOCK_TIMEOUT = '55P03'

/** Whether Postgres refused a statement because the role lacks the right. */
export const isNotAllowed = (error: unknown): boolean => stateOf(error) === NOT_ALLOWED

/** Whether a drop was refused because other objects depend on its target. */
export const isStillNeeded = (error: unknown): boolean => stateOf(error) === STILL_NEEDED

/** Whether a drop of a database was refused because sessions are connected to it. */
export const isInUse = (error: unknown): boolean => stateOf(error) === IN_USE

/** Whether a statement waited for a lock longer than its session allows. */
export const isLockTimeout = (error: unknown): boolean => stateOf(error) === LOCK_TIMEOUT

/** A transaction that is not a tenant's keeps a role from being changed. */
export class RoleLocked extends ServiceError {
  constructor(role: string, cause: unknown) {
    const message = `The role ${role} cannot be changed now, because a transaction keeps it locked. Try again later.`
    super('UNAVAILABLE', message, { cause, retryAfterSeconds: 60 })
  }
}

function stateOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
