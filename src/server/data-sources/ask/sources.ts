import type { Querier } from '#lib/db/db.ts'
import { gather } from '#lib/gather.ts'
import { type AskedSource, findAsked, type Wanted } from './store.ts'

const MOST = 200

export type Sources = ReturnType<typeof createSources>

/**
 * Sources as they were when they were last looked up. To answer from what is remembered, ask the store whether it
 * still is so; that takes no configuration over the wire, and goes with the record of the question.
 */
export function createSources(db: Querier) {
  const remembered = new Map<string, AskedSource>()
  const find = gather((wanted: readonly Wanted[]) => findAsked(db, wanted))
  const keyOf = ({ org_id, id }: Wanted) => `${org_id} ${id}`
  return {
    remembered: (wanted: Wanted): AskedSource | undefined => remembered.get(keyOf(wanted)),
    find: async (wanted: Wanted): Promise<AskedSource | undefined> => {
      const source = await find(wanted)
      const key = keyOf(wanted)
      remembered.delete(key)
      const [oldest] = remembered.keys()
      if (source && remembered.size >= MOST) remembered.delete(oldest!)
      if (source) remembered.set(key, source)
      return source
    },
  }
}
