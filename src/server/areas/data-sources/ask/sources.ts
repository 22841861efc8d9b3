import type { Querier } from '#lib/db/db.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { gather } from '#lib/work/gather.ts'
import { isNamed } from '../search/source-id.ts'
import { type AskableSource, findAskableSources, findSourceIds, type SourceIds } from './store.ts'

const MAX_REMEMBERED_SOURCES = 200

/** The id of a source as the caller typed it, which may be any text. */
export type TypedId = { readonly org_id: string; readonly id: string }

/** A source that can be asked. One that cannot has a name only, for the record; a typed id that means none has neither. */
export type FoundSource = {
  readonly source: AskableSource | undefined
  readonly database_name: string | undefined
  /** Why the source cannot answer the question as it is asked. The question is refused with it once it is on record. */
  readonly refusal?: unknown
}
export const NOT_FOUND: FoundSource = { source: undefined, database_name: undefined }

export type Sources = ReturnType<typeof createSources>

/**
 * Sources as they were when last looked up. An answer from a remembered source needs its version confirmed by the
 * store; the statement that records the question does that, so no configuration crosses the wire for it.
 *
 * The typed id is compared here and never bound to a statement, because Postgres may log bound values. A source that
 * is not remembered therefore takes two statements: the ids of the organization, then the source by its own id.
 */
export function createSources(db: Querier) {
  const remembered = createBoundedCache<string, AskableSource>({ max: MAX_REMEMBERED_SOURCES })
  const findIds = gather(async (orgIds: readonly string[]) => idsOf(await findSourceIds(db, orgIds), orgIds))
  const findById = gather((ids: readonly string[]) => findAskableSources(db, ids))
  const keyOf = ({ org_id, id }: TypedId) => `${org_id} ${id}`
  const findByTypedId = async ({ org_id, id }: TypedId): Promise<FoundSource> => {
    const named = (await findIds(org_id)).find((row) => isNamed(row, id))
    if (!named) return NOT_FOUND
    const source = named.askable ? await findById(named.id) : undefined
    return { source, database_name: named.database_name }
  }
  return {
    remembered: (typed: TypedId): AskableSource | undefined => remembered.get(keyOf(typed)),
    find: async (typed: TypedId): Promise<FoundSource> => {
      const key = keyOf(typed)
      const before = remembered.get(key)
      const same = before && (await findById(before.id))
      // A database that was dropped and made again has a new source under the same name.
      const found = same ? { source: same, database_name: same.database_name } : await findByTypedId(typed)
      if (found.source) remembered.set(key, found.source)
      else remembered.delete(key)
      return found
    },
  }
}

function idsOf(rows: readonly SourceIds[], orgIds: readonly string[]): SourceIds[][] {
  const byOrg = Map.groupBy(rows, ({ org_id }) => org_id)
  return orgIds.map((orgId) => byOrg.get(orgId) ?? [])
}
