import type { DatabaseColumn, DatabaseTable, RowCount } from '#contract/database-tables.ts'

/** Writes a count: `1,204`, `about 1,204` for an estimate, and `unknown`. */
export function countText(count: RowCount | null): string {
  if (count === null) return 'unknown'
  const number = count.rows.toLocaleString('en')
  return count.is_estimate ? `about ${number}` : number
}

/** Writes how much of a vector column is filled: `2 of 3 filled`. */
export function filledText({ filled }: Pick<DatabaseColumn, 'filled'>, { rows }: Pick<DatabaseTable, 'rows'>): string {
  if (filled === null) return 'filling unknown'
  return rows === null ? `${countText(filled)} filled` : `${countText(filled)} of ${countText(rows)} filled`
}

export function isVectorColumn({ base_type }: Pick<DatabaseColumn, 'base_type'>): boolean {
  return base_type === 'vector' || base_type === 'halfvec'
}
