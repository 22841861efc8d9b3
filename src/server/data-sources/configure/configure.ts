import { randomUUID } from 'node:crypto'
import { ServiceError } from '#contract/errors.ts'
import { configureSource, SearchConfiguration } from '#contract/search-config.ts'
import { actorOf } from '#edge/actor.ts'
import { type Route, route } from '#edge/route.ts'
import { audit } from '#lib/audit.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import { holdsLease, type Lease, releaseLease, takeLease } from '#lib/lease.ts'
import type { ManagedDb } from './catalogue.ts'
import { checkAll } from './check.ts'
import type { FindModel } from './check-entry.ts'
import { readerRole, setGrants } from './grants.ts'
import { grantAndRehearse } from './rehearse.ts'
import { findSource, saveSearch } from './store.ts'

export type ConfigureDeps = {
  db: Db
  clock: Clock
  /** Inside a managed database of the organization. */
  openDatabase: (orgId: string, name: string, as: 'owner' | 'reader') => Promise<ManagedDb>
  findModel: FindModel
}

export function configureRoute(deps: ConfigureDeps): Route {
  const { db, clock, openDatabase, findModel } = deps
  return route(configureSource, async ({ id, connection_config, filter_schema }, { principal }) => {
    const { org_id } = principal
    const source = await findSource(db, org_id, id)
    if (!source) throw noSuchSource()
    return alone(deps, source.id, async (lease) => {
      const owner = await openDatabase(org_id, source.database_name, 'owner')
      const reader = await openDatabase(org_id, source.database_name, 'reader')
      const readerName = await readerRole(reader)
      const wanted = { entries: connection_config.embedding_configs, filter_schema }
      const { entries, warnings } = await checkAll({ owner, reader: readerName, findModel }, wanted)
      const saved = SearchConfiguration.parse({ connection_config, filter_schema, warnings })

      // Rights are added before and taken after: a crash between leaves one too many, which the next save takes.
      await grantAndRehearse({ owner, reader, readerName }, entries, source.search ?? [])
      const now = clock.now()
      await db.tx(async (tx) => {
        if (!(await holdsLease(tx, lease, now))) throw beingSaved()
        const search = entries.length === 0 ? null : entries
        if (!(await saveSearch(tx, { ...saved, id: source.id, search, now }))) throw noSuchSource()
        const detail = { labels: entries.map(({ label }) => label) }
        const action = 'data_source.configured'
        await audit(tx, { org_id, actor: actorOf(principal), action, target: source.id, detail, at: now })
      })
      await setGrants(owner, readerName, entries)
      return saved
    })
  })
}

const LEASE_SECONDS = 300

/** Two saves at once could leave the rights of the one and the configuration of the other. */
async function alone<T>(
  { db, clock }: Pick<ConfigureDeps, 'db' | 'clock'>,
  id: string,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const ask = { name: `data-source:${id}`, holder: randomUUID(), seconds: LEASE_SECONDS, now: clock.now() }
  const lease = await takeLease(db, ask)
  if (!lease) throw beingSaved()
  try {
    return await work(lease)
  } finally {
    await releaseLease(db, lease)
  }
}

function beingSaved(): ServiceError {
  return new ServiceError('CONFLICT', 'this data source is being configured by another request')
}

function noSuchSource(): ServiceError {
  return new ServiceError('NOT_FOUND', 'no such data source')
}
