import { databaseSizes } from '#contract/databases.ts'
import { type Route, route } from '#edge/route/route.ts'
import { type DatabaseRow, findDatabases } from '../model/store.ts'
import type { DatabaseDeps } from './deps.ts'
import type { Servers } from './servers.ts'

export function sizeRoute({ db, servers }: Pick<DatabaseDeps, 'db' | 'servers'>): Route {
  return route(databaseSizes, async ({ names }, { principal }) => {
    const rows = await findDatabases(db, principal.org_id, names.split(','))
    const ready = rows.filter(({ state }) => state === 'ready')
    const sizes = await sizesOf(servers, ready)
    return { items: rows.map(({ name, physical_name }) => ({ name, bytes: sizes.get(physical_name) ?? null })) }
  })
}

type Placed = Pick<DatabaseRow, 'server' | 'physical_name'>

/** Leaves out the databases of a server that cannot be asked while others can. Throws if none can be asked. */
async function sizesOf(servers: Servers, rows: readonly Placed[]): Promise<ReadonlyMap<string, number>> {
  const byServer = Map.groupBy(rows, ({ server }) => server)
  const asked = await Promise.allSettled(
    [...byServer].map(async ([server, placed]) =>
      servers.engineOf({ server }).sizesOf(placed.map(({ physical_name }) => physical_name)),
    ),
  )
  const answers = asked.filter((each) => each.status === 'fulfilled')
  const failed = asked.find((each) => each.status === 'rejected')
  if (failed && answers.length === 0) throw failed.reason
  return new Map(answers.flatMap(({ value }) => [...value]))
}
