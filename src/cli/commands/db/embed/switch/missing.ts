import { HintedError } from '../../../../command/hinted-error.ts'
import { type Connection, quoteName } from '../connection.ts'
import type { SwitchTable } from './vector-columns.ts'

/** Share of the rows that questions find today and that may be missing afterwards. */
const MAX_MISSING_SHARE = 0.01

export type Missing = {
  /** Rows with a vector in the column that questions use. */
  readonly rows: number
  /** Those of them without a vector in the new column, which questions would no longer find. */
  readonly missing: number
}

export async function countMissing(db: Connection, table: SwitchTable, from: string, to: string): Promise<Missing> {
  const [row] = await db.query<Missing>(
    `select count(*)::int as rows, (count(*) filter (where ${quoteName(to)} is null))::int as missing
     from ${table.quoted} where ${quoteName(from)} is not null`,
  )
  return row!
}

export function isTooMany({ rows, missing }: Missing): boolean {
  return missing > rows * MAX_MISSING_SHARE
}

/** Throws if questions would no longer find too many of the rows. */
export function refuseMissing({ rows, missing }: Missing, table: string): void {
  if (!isTooMany({ rows, missing })) return
  throw new HintedError(
    'CONFLICT',
    `${missing} of ${rows} rows of ${table} that questions find today have no vector of the new model. At most 1 % may be missing.`,
    'They have no text, or they are changed again and again. Run the command again, or add --force to switch all the same.',
  )
}
