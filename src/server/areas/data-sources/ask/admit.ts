import { ServiceError } from '#contract/core/errors.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import type { Member } from '#edge/http/route.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { checkFilters, type Filter, type Filters } from '../search/filters.ts'
import type { AskedSource } from './store.ts'

type Input = { filters: Filters; target?: string | undefined }
export type Ready = { source: AskedSource; entries: readonly ResolvedEntry[]; filters: readonly Filter[] }

/** The one place that decides who may ask what. Unknown, not exposed and switched off are the same 404. */
export function admit(source: AskedSource | undefined, input: Input, principal: Member): Ready {
  if (!source) throw new ServiceError('NOT_FOUND', 'No such data source.')
  if (!roleAtLeast(principal.role, source.min_role)) {
    throw new ServiceError(
      'FORBIDDEN',
      `This needs the role ${source.min_role} or above. Your role is ${principal.role}.`,
    )
  }
  if (source.search === null || source.search.length === 0) {
    throw new ServiceError('NO_SEARCH_CONFIGURED', 'this data source has no semantic search configured')
  }
  const filters = checkFilters(input.filters, source.filter_schema)
  return { source, filters, entries: chooseEntries(source.search, input.target, filters) }
}

/** An entry without a column that is filtered on has no matching row; to ask it alone is a mistake worth telling. */
function chooseEntries(all: readonly ResolvedEntry[], target: string | undefined, filters: readonly Filter[]) {
  const fits = (entry: ResolvedEntry) => filters.every(({ column }) => Object.hasOwn(entry.filters, column))
  if (target === undefined) return all.filter(fits)
  const entry = all.find(({ label }) => label === target)
  if (!entry) throw badTarget(`unknown label. Labels: ${all.map(({ label }) => label).join(', ')}`)
  if (!fits(entry)) throw badTarget('cannot be filtered on all of these columns')
  return [entry]
}

function badTarget(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `target: ${message}`, { errors: [{ path: 'target', message }] })
}
