import type { Loop } from '#lib/work/loop.ts'
import { measureLoop } from '../areas/data-sources/index.ts'
import type { Databases } from '../areas/databases/index.ts'
import type { Resources } from './parts.ts'

/** Builds the loop that measures vector indexes, unless it is switched off. */
export function composeMeasuring(
  { config, db, clock, log }: Pick<Resources, 'config' | 'db' | 'clock' | 'log'>,
  databases: Pick<Databases, 'open' | 'activityOf'>,
): { loops: Loop[] } {
  if (!config.questions.measuresIndexes) return { loops: [] }
  const loop = measureLoop({
    db,
    clock,
    openReader: (orgId, name) => databases.open(orgId, name, 'reader'),
    activityOf: (orgId, name) => databases.activityOf(orgId, name),
    onError: (error, { source_id }) =>
      log.warn({ error, source_id }, 'an index could not be measured; it is tried again'),
  })
  return { loops: [loop] }
}
