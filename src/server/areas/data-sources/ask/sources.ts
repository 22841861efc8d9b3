import type { Querier } from '#lib/db/db.ts'
import { gather } from '#lib/gather.ts'
import { isNamed } from '../store.ts'
import { type AskableId, type AskedSource, findAskableIds, findAsked } from './store.ts'

const MAX_REMEMBERED_SOURCES = 200

/** A source by the id that the caller typed, which may be any text. */
export type Wanted = { org_id: string; id: string }
export type Sources = ReturnType<typeof createSources>

/**
 * Sources as they were when last looked up. An answer from a remembered source needs its version confirmed by the
 * store; the statement that records the question does that, so no configuration crosses the wire for it.
 *
 * The typed id is compared here and never bound to a statement, because Postgres may log bound values. A source that
 * is not remembered therefore takes two statements: the ids of the organization, then the source by its own id.
 */
export function createSources(db: Querier) {
  const remembered = new Map<string, AskedSource>()
  const findIds = gather(async (orgIds: readonly string[]) => idsOf(await findAskableIds(db, orgIds), orgIds))
  const findById = gather((ids: readonly string[]) => findAsked(db, ids))
  const keyOf = ({ org_id, id }: Wanted) => `${org_id} ${id}`
  const findByTypedId = async (wanted: Wanted): Promise<AskedSource | undefined> => {
    const known = (await findIds(wanted.org_id)).find((row) => isNamed(row, wanted.id))
    return known && findById(known.id)
  }
  return {
    remembered: (wanted: Wanted): AskedSource | undefined => remembered.get(keyOf(wanted)),
    find: async (wanted: Wanted): Promise<AskedSource | undefined> => {
      const key = keyOf(wanted)
      const before = remembered.get(key)
      // A database that was dropped and made again has a new source under the same name.
      const source = (before && (await findById(before.id))) ?? (await findByTypedId(wanted))
      remembered.delete(key)
      const [oldest] = remembered.keys()
      if (source && remembered.size >= MAX_REMEMBERED_SOURCES) remembered.delete(oldest!)
      if (source) remembered.set(key, source)
      return source
    },
  }
}

function idsOf(rows: readonly AskableId[], orgIds: readonly string[]): AskableId[][] {
  const byOrg = Map.groupBy(rows, ({ org_id }) => org_id)
  return orgIds.map((orgId) => byOrg.get(orgId) ?? [])
}
