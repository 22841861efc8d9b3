import { createActivity } from '../areas/activity/index.ts'
import type { Resources } from './parts.ts'

/** Builds the activity area. Use it through `parts.shared`: the gateway records questions, the worker runs the loops. */
export function composeActivity({ config, db, kv, clock, log }: Resources) {
  return createActivity({
    db,
    kv,
    clock,
    ...config.questions,
    dataKey: config.secrets.dataKeys[0],
    onError: (error) => log.warn({ error }, 'the results of questions could not be recorded'),
  })
}
