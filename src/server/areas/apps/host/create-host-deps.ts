import { setTimeout as sleep } from 'node:timers/promises'
import { openEnvironment } from '../environment/store.ts'
import type { AppDeps } from '../model/deps.ts'
import { readAlias } from '../model/store.ts'
import { readFiles } from '../revisions/read-files.ts'
import type { HostDeps, Hosting } from './deps.ts'

/** Joins what a host needs of the other parts of the area. */
export function createHostDeps({ db, clock, sealer }: AppDeps, hosting: Hosting): HostDeps {
  return {
    ...hosting,
    db,
    time: {
      now: () => clock.now(),
      delay: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {}),
    },
    readFiles: (orgId, revisionId) => readFiles(db, orgId, revisionId),
    // A worker in the app must say which app it serves.
    readVariables: async (appId) => ({
      ...(await openEnvironment(db, sealer, appId)),
      SVC_APP: await readAlias(db, appId),
    }),
  }
}
