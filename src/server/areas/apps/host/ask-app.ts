import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppAnswer, AppProbe } from '#ports/apps.ts'
import { headersForApp } from '../door/program/headers.ts'
import type { AppDeps } from '../model/deps.ts'
import { findApp } from '../model/store.ts'
import { createAppRestarts } from './app-restarts.ts'
import { hostLease } from './jobs.ts'
import { findHeldElsewhere } from './store.ts'
import type { AppTraffic } from './traffic.ts'

type Deps = {
  readonly db: Pick<Db, 'query' | 'instance'>
  readonly clock: Clock
  readonly traffic: Pick<AppTraffic, 'find' | 'hosted'>
  readonly urlOf: AppDeps['urlOf']
}

/** Asks apps of this process through their instances, as the door does for requests from outside. */
export function createAppProbe({ db, clock, traffic, urlOf }: Deps): AppProbe {
  const restarts = createAppRestarts({ db, clock, traffic })
  return {
    restarts,
    hostedElsewhere: async (appIds) => {
      const leases = appIds.map((id) => hostLease({ id }))
      const held = await findHeldElsewhere(db, leases)
      return new Set(appIds.filter((id) => held.has(hostLease({ id }))))
    },
    get: async (app, path, signal) => {
      const row = await findApp(db, app.orgId, app)
      if (row?.state !== 'active' || row.start_command === null) return { type: 'no_address' }
      const appInstance = traffic.find(row.host_label)
      const isRestarting = async () => (await restarts([row.id])).get(row.id)?.isServed === false
      if (!appInstance) return { type: (await isRestarting()) ? 'restarting' : 'not_running' }
      // The app sees its public host name; where apps have no address, it sees localhost.
      const url = new URL(urlOf(row.host_label) ?? 'http://localhost')
      const client = { address: '127.0.0.1', host: url.host, isSecure: url.protocol === 'https:' }
      const headers = headersForApp(new Headers({ 'user-agent': 'svc-check' }), client)
      const request = new Request(`http://127.0.0.1${path}`, { headers, redirect: 'manual', signal })
      return appInstance.fetch(request).then(answered, async () => {
        signal.throwIfAborted()
        return { type: (await isRestarting()) ? 'restarting' : 'no_answer' } as const
      })
    },
  }
}

function answered(response: Response): AppAnswer {
  return { type: 'answered', response }
}
