// https://www.postgresql.org/docs/15/errcodes-appendix.html
const NOT_ALLOWED = '42501'
const STILL_NEEDED = '2BP01'
const IN_USE = '55006'

/** The role may not do that. */
export const isNotAllowed = (error: unknown): boolean => stateOf(error) === NOT_ALLOWED

/** Something else depends on what should be dropped. */
export const isStillNeeded = (error: unknown): boolean => stateOf(error) === STILL_NEEDED

/** Somebody is connected to a database that should be dropped. */
export const isInUse = (error: unknown): boolean => stateOf(error) === IN_USE

function stateOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
