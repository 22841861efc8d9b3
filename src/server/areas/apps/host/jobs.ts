import type { JobKind } from '#lib/work/job-kind.ts'
import { type LeasedJob, leasedJobs } from '#lib/work/leased-jobs.ts'
import { DEPLOYS_CHANNEL, type HostedApp, listAppsToHost } from '../deploys/store.ts'
import { HostLost } from './as-host.ts'
import type { HostDeps } from './deps.ts'
import { AppHost } from './host-app.ts'

/** Apps that one process hosts at most. */
const MAX_HOSTED_APPS = 200
const POLL_SECONDS = 30

/** The lease of the process that hosts the app. */
export function hostLease({ id }: Pick<HostedApp, 'id'>): string {
  return `app-host:${id}`
}

/** Hosts apps. The lease of an app keeps everything that happens to it to one process. */
export function hostJobs(deps: HostDeps): JobKind<LeasedJob<HostedApp>> {
  const { db, onError } = deps
  const hosts = new Map<string, AppHost>()
  return leasedJobs<HostedApp>(db, {
    name: 'apps-host',
    leaseName: hostLease,
    slots: MAX_HOSTED_APPS,
    wakeOn: DEPLOYS_CHANNEL,
    pollSeconds: POLL_SECONDS,
    // An app never ends by itself, so there is nothing to wait for.
    drainSeconds: 0,
    onNotify(appId) {
      deps.traffic.absent.forget()
      if (appId === '') for (const host of hosts.values()) host.wake()
      const host = hosts.get(appId)
      host?.wake()
      // A host that is just ending looks no more, but its slot claims when it becomes free.
      return host !== undefined
    },
    async find() {
      const rows = await listAppsToHost(db)
      // Covers lost notifications.
      for (const { id, is_waiting } of rows) if (is_waiting) hosts.get(id)?.wake()
      return rows
    },
    async run({ row, lease }, { signal }) {
      const host = new AppHost(deps, row, lease, signal)
      hosts.set(row.id, host)
      try {
        await host.run()
      } catch (error) {
        if (!(error instanceof HostLost) && error !== signal.reason) onError(error, row.id)
      } finally {
        hosts.delete(row.id)
      }
    },
  })
}
