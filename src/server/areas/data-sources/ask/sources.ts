import { createBoundedCache } from '#lib/bounded-cache.ts'
import type { Querier } from '#lib/db/db.ts'
import { gather } from '#lib/gather.ts'
import { isNamed } from '../search/source-id.ts'
import { type AskableId, type AskedSource, findAskableIds, findAsked } from './store.ts'

const MAX_REMEMBERED_SOURCES = 200

/** The id of a source as the caller typed it, which may be any text. */
export type TypedId = { readonly org_id: string; readonly id: string }
export type Sources = ReturnType<typeof createSources>

/**
 * Sources as they were when last looked up. An answer from a remembered source needs its version confirmed by the
 * store; the statement that records the question does that, so no configuration crosses the wire for it.
 *
 * The typed id is compared here and never bound to a statement, because Postgres may log bound values. A source that
 * is not remembered therefore takes two statements: the ids of the organization, then the source by its own id.
 */
export function createSources(db: Querier) {
  const remembered = createBoundedCache<string, AskedSource>({ max: MAX_REMEMBERED_SOURCES })
  const findIds = gather(async (orgIds: readonly string[]) => idsOf(await findAskableIds(db, orgIds), orgIds))
  const findById = gather((ids: readonly string[]) => findAsked(db, ids))
  const keyOf = ({ org_id, id }: TypedId) => `${org_id} ${id}`
  const findByTypedId = async ({ org_id, id }: TypedId): Promise<AskedSource | undefined> => {
    const named = (await findIds(org_id)).find((row) => isNamed(row, id))
    return named && findById(named.id)
  }
  return {
    remembered: (typed: TypedId): AskedSource | undefined => remembered.get(keyOf(typed)),
    find: async (typed: TypedId): Promise<AskedSource | undefined> => {
      const key = keyOf(typed)
      const before = remembered.get(key)
      // A database that was dropped and made again has a new source under the same name.
      const source = (before && (await findById(before.id))) ?? (await findByTypedId(typed))
      if (source) remembered.set(key, source)
      else remembered.delete(key)
      return source
    },
  }
}

function idsOf(rows: readonly AskableId[], orgIds: readonly string[]): AskableId[][] {
  const byOrg = Map.groupBy(rows, ({ org_id }) => org_id)
  return orgIds.map((orgId) => byOrg.get(orgId) ?? [])
}
