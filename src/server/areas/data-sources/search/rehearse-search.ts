import { lacksFunction } from './database-errors.ts'
import type { ResolvedEntry } from './entry.ts'
import { allFilters } from './filter-operators.ts'
import type { Reader } from './reader.ts'
import { searchSettings } from './settings.ts'
import { createStatements, sizeStatement } from './statements.ts'

/** Runs every statement that a question of this entry may run, for no hits: no row is read. */
export async function rehearseSearch(db: Reader, entry: ResolvedEntry): Promise<void> {
  try {
    await rehearse(db, entry, false)
  } catch (error) {
    if (!lacksFunction(error)) throw error
    await rehearse(db, entry, true)
  }
}

async function rehearse(db: Reader, entry: ResolvedEntry, ordersIdsAsText: boolean): Promise<void> {
  const statements = createStatements()
  const vector = `[${Array(entry.dimensions).fill(0).join(',')}]`
  const query = { entry, filters: allFilters(entry), vector, limit: 0, ordersIdsAsText }
  const byIndex =
    entry.index === null ? [] : [sizeStatement(entry), statements.estimate(query), statements.byIndex(query)]
  await db.reads(async (on) => {
    for (const statement of [...byIndex, statements.exact(query)]) await on.query(statement)
  }, searchSettings(query))
}
