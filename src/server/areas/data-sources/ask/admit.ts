import type { z } from 'zod'
import { ServiceError } from '#contract/core/errors.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import type { PersonSettings } from '#contract/data-sources/person-settings.ts'
import type { querySource } from '#contract/data-sources/sources.ts'
import type { Member } from '#edge/route/route.ts'
import { sourceChanged } from '../search/database-errors.ts'
import { entriesOf, type ResolvedEntry } from '../search/entry.ts'
import type { Filter } from '../search/filter-operators.ts'
import { readFilters } from '../search/filters.ts'
import type { AskableSource } from './store.ts'

export type QuestionInput = z.output<typeof querySource.input>

/** Decides who may ask what; nothing else does. Unknown, not exposed and switched off are the same 404. */
export function admit(source: AskableSource | undefined, input: QuestionInput, { role }: Member) {
  if (!source) throw new ServiceError('NOT_FOUND', 'No such data source.')
  if (!roleAtLeast(role, source.min_role)) {
    throw new ServiceError(
      'FORBIDDEN',
      `This data source needs the role ${source.min_role} or above. Your role is ${role}. An owner can change your role, and an admin or owner the role that the source needs.`,
    )
  }
  const entries = searchableEntries(source)
  const filters = readFilters(input.filters, source.filter_schema)
  return { source, filters, entries: chooseEntries(entries, input.target, filters) }
}

/** Returns undefined where rows are not told apart by person. */
export function personSettingsOf({ search }: Pick<AskableSource, 'search'>): PersonSettings | undefined {
  return entriesOf(search)[0]?.person_settings
}

/** For a source that the service itself is still creating. */
export function unfinishedSource(): ServiceError {
  const detail = 'This data source is still being created. Try again in 5 seconds.'
  return new ServiceError('UNAVAILABLE', detail, { retryAfterSeconds: 5 })
}

function searchableEntries({ search }: AskableSource): readonly ResolvedEntry[] {
  if (search === 'unreadable') throw sourceChanged('The service was upgraded')
  if (search === null || search.length === 0) {
    throw new ServiceError('NO_SEARCH_CONFIGURED', 'this data source has no semantic search configured')
  }
  return search
}

/** Leaves out entries without a column that is filtered on: no row of theirs can match. As the target it is refused. */
function chooseEntries(all: readonly ResolvedEntry[], target: string | undefined, filters: readonly Filter[]) {
  const hasFilterColumns = (entry: ResolvedEntry) => filters.every(({ column }) => Object.hasOwn(entry.filters, column))
  if (target === undefined) return all.filter(hasFilterColumns)
  const entry = all.find(({ label }) => label === target)
  if (!entry) throw invalidTarget(`unknown label. Labels: ${all.map(({ label }) => label).join(', ')}`)
  if (!hasFilterColumns(entry)) throw invalidTarget('cannot be filtered on all of these columns')
  return [entry]
}

function invalidTarget(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `target: ${message}`, { errors: [{ path: 'target', message }] })
}
