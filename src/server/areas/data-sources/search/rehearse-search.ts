import { lacksFunction } from './database-errors.ts'
import type { ResolvedEntry } from './entry.ts'
import { allFilters } from './filter-operators.ts'
import type { PersonValues } from './person.ts'
import type { Reader } from './reader.ts'
import { sampleSelectivity } from './selectivity.ts'
import { searchSettings } from './settings.ts'
import { createStatements, sizeStatement } from './statements.ts'

/** Runs every statement that a question of this entry may run, for no hits: no row is read, but a few for a person. */
export async function rehearseSearch(db: Reader, entry: ResolvedEntry, person?: PersonValues): Promise<void> {
  try {
    await rehearse(db, { entry, person }, false)
  } catch (error) {
    if (!lacksFunction(error)) throw error
    await rehearse(db, { entry, person }, true)
  }
}

type Rehearsal = { readonly entry: ResolvedEntry; readonly person: PersonValues | undefined }

async function rehearse(db: Reader, { entry, person }: Rehearsal, ordersIdsAsText: boolean): Promise<void> {
  const statements = createStatements()
  const vector = `[${Array(entry.dimensions).fill(0).join(',')}]`
  const query = { entry, filters: allFilters(entry), vector, limit: 0, ordersIdsAsText, ...(person && { person }) }
  const byIndex =
    entry.index === null ? [] : [sizeStatement(entry), statements.estimate(query), statements.byIndex(query)]
  await db.reads(
    async (on) => {
      for (const statement of [...byIndex, statements.exact(query)]) await on.query(statement)
      // A policy can fail for the values of rows, which only reading some of them shows.
      if (person) await sampleSelectivity(on, { ...query, person, filters: [] }, statements)
    },
    searchSettings(query),
    person,
  )
}
