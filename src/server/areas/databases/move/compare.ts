import { countRows } from '../copy/count-rows.ts'
import type { Work } from '../engine/postgres/entrance.ts'
import { refusal } from './check.ts'

/** Runs work inside one of the two databases. */
type Enter = <T>(work: Work<T>) => Promise<T>

/** Throws if a table of the copy has another number of rows. */
export async function compareRows(inOriginal: Enter, inCopy: Enter): Promise<void> {
  const [original, copy] = await Promise.all([inOriginal(countRows), inCopy(countRows)])
  const different = [...original].find(([table, rows]) => copy.get(table) !== rows)
  if (different) {
    throw refusal(`The copy of ${different[0]} has ${copy.get(different[0]) ?? 'no'} rows instead of ${different[1]}.`)
  }
}
