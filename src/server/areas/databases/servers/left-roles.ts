import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import { type LeasedJob, leasedJobs } from '#lib/work/leased-jobs.ts'
import { findPhysicalNames } from '../model/store.ts'
import type { Servers } from './servers.ts'

type Deps = { readonly db: Db; readonly clock: Clock; readonly servers: Pick<Servers, 'all'> }
/** A server with roles of dropped databases. `id` is its name. */
type Left = { readonly id: string; readonly roles: readonly string[] }
type Engine = Servers['all'][number]['engine']

const EVERY_SECONDS = 5 * 60
const DRAIN_SECONDS = 15

/**
 * Removes roles that the drop of their database had to leave, until they are gone: another tenant's database was locked or
 * out of connections then, or granted the role something again. The roles themselves carry the mark, so nothing is
 * forgotten with the row of the database.
 */
export function leftRoleJobs(
  { db, clock, servers }: Deps,
  onError: (error: unknown, server: string) => void,
): JobKind<LeasedJob<Left>> {
  const triedAt = new Map<string, number>()
  const isDue = (name: string) => clock.now().getTime() - (triedAt.get(name) ?? 0) >= EVERY_SECONDS * 1000
  return leasedJobs<Left>(db, {
    name: 'databases-roles',
    leaseName: ({ id }) => `database-roles:${id}`,
    slots: 1,
    pollSeconds: EVERY_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    heldSeconds: EVERY_SECONDS,
    async find() {
      const due = servers.all.filter(({ settings }) => isDue(settings.name))
      const rows: Left[] = []
      for (const { settings, engine } of due) {
        // A server that is away is looked at again later, and other checks report it.
        const roles = await findUnusedRoles(db, engine).catch(() => [])
        if (roles.length > 0) rows.push({ id: settings.name, roles })
      }
      return rows
    },
    async run({ row }) {
      triedAt.set(row.id, clock.now().getTime())
      try {
        await servers.all.find(({ settings }) => settings.name === row.id)?.engine.leftRoles?.remove(row.roles)
      } catch (error) {
        onError(error, row.id)
      }
    },
  })
}

/** The names of a database and of its roles differ in their first letter only. */
const databaseOf = (role: string): string => `d${role.slice(1)}`

/** A database that is being dropped, or moved again, takes care of its roles itself. */
async function findUnusedRoles(db: Db, { leftRoles }: Engine): Promise<string[]> {
  const roles = (await leftRoles?.find()) ?? []
  if (roles.length === 0) return []
  const used = await findPhysicalNames(db, roles.map(databaseOf))
  return roles.filter((role) => !used.has(databaseOf(role)))
}
