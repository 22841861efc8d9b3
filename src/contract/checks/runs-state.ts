import { z } from 'zod'

/**
 * How the runs of one check within a time went. One failed run among many does not make the time a failed one, while a
 * check that fails half of the time does not pass.
 */
export const RunsState = z
  .enum(['pass', 'mixed', 'fail', 'error', 'indeterminate'])
  .describe(
    '`pass`: all runs passed. `fail`: half of the runs or more failed. `mixed`: fewer failed or had no result, and some passed. Otherwise `error` if some could not run, or `indeterminate`. Null if no run ended in this time',
  )
export type RunsState = z.infer<typeof RunsState>
