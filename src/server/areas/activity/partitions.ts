import { lowestId } from '#edge/ids.ts'
import type { PartitionedTable } from '#lib/db/partitions/partitions.ts'

/** Ids begin with their time. Pages are left part empty for the outcome, which is written after the answer. */
export const RECORDS: PartitionedTable = {
  schema: 'activity',
  table: 'records',
  days: 7,
  keyAt: (at) => lowestId('act', at),
  fillFactor: 60,
}
