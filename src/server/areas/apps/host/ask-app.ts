import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { AppAnswer, AppProbe } from '#ports/apps.ts'
import { headersForApp } from '../door/headers.ts'
import type { AppDeps } from '../model/deps.ts'
import { hostLease } from './jobs.ts'
import type { AppTraffic } from './traffic.ts'

type Deps = {
  readonly db: Pick<Db, 'query' | 'instance'>
  readonly traffic: Pick<AppTraffic, 'find'>
  readonly urlOf: AppDeps['urlOf']
}

/** Asks apps of this process through their instances, as the door does for requests from outside. */
export function createAppProbe({ db, traffic, urlOf }: Deps): AppProbe {
  return {
    hostedElsewhere: (appIds) => findHostedElsewhere(db, appIds),
    get: async (app, path, signal) => {
      const row = await findTarget(db, app)
      if (!row || row.start_command === null) return { type: 'no_address' }
      const instance = traffic.find(row.host_label)
      if (!instance) return { type: 'not_running' }
      const url = new URL(urlOf(row.host_label) ?? 'http://localhost')
      const client = { address: '127.0.0.1', host: url.host, isSecure: url.protocol === 'https:' }
      const headers = headersForApp(new Headers({ 'user-agent': 'svc-check' }), client)
      const request = new Request(`http://127.0.0.1${path}`, { headers, redirect: 'manual', signal })
      return instance.fetch(request).then(answered, () => {
        signal.throwIfAborted()
        return { type: 'no_answer' } as const
      })
    },
  }
}

function answered(response: Response): AppAnswer {
  return { type: 'answered', response }
}

type Target = { host_label: string; start_command: string | null }

async function findTarget(db: Pick<Db, 'query'>, { orgId, id }: { orgId: string; id: string }) {
  const [row] = await db.query<Target>(sql`
    select host_label, start_command from apps.apps where org_id = ${orgId} and id = ${id} and state = 'active'`)
  return row
}

/** A host renews its lease, whose holder begins with the name under which its process opened the database. */
async function findHostedElsewhere({ query, instance }: Deps['db'], appIds: readonly string[]) {
  if (appIds.length === 0) return new Set<string>()
  const held = await query<{ name: string }>(sql`
    select name from svc.leases
    where name = any(${appIds.map((id) => hostLease({ id }))}::text[])
      and expires_at > clock_timestamp() and split_part(holder, '/', 1) <> ${instance}`)
  const names = new Set(held.map(({ name }) => name))
  return new Set(appIds.filter((id) => names.has(hostLease({ id }))))
}
