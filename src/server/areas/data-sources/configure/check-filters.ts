import type { FilterType } from '#contract/data-sources/sources.ts'
import { FILTER_TYPES } from '../search/filter-types.ts'
import { type FoundTable, tableText } from './check-table.ts'
import type { Reporter } from './findings.ts'
import { shown } from './names.ts'

/** Each filter must fit a column of at least one table. A table without that column has no hits for the filter. */
export function checkFilters(
  filters: ReadonlyMap<string, FilterType>,
  tables: readonly FoundTable[],
  report: Reporter,
): void {
  for (const [name, type] of filters) {
    const columns = tables.flatMap(({ columns: all }) => all.get(name) ?? [])
    if (columns.length === 0) {
      const near = report.near(name, [...new Set(tables.flatMap((table) => [...table.columns.keys()]))])
      report.problem(name, `no configured table has a column "${shown(name)}"${near}`)
    } else if (!columns.some((column) => FILTER_TYPES[type].fits(column))) {
      report.problem(name, `${columns[0]!.declared} is no ${type}`)
    } else for (const table of tables) warnOfFilter(name, type, table, report)
  }
}

function warnOfFilter(name: string, type: FilterType, { relation, columns, indexes }: FoundTable, report: Reporter) {
  const column = columns.get(name)
  const place = `the filter "${shown(name)}" in ${tableText(relation)}`
  if (!column) return
  if (!FILTER_TYPES[type].fits(column)) {
    report.warn(`${place} is ${column.declared}, not ${type}: a question with this filter finds nothing in this table`)
  } else if ('rpm'.includes(relation.kind) && !indexes.some((index) => index.column === column.number)) {
    report.warn(`${place} has no index: a question with this filter reads the whole table`)
  }
}
