import { createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import type { AppName } from '#ports/apps.ts'
import type { PipelineDeps } from './deps.ts'

const CACHED_MS = 2_000
const MAX_CACHED_APPS = 10_000

/**
 * Finds apps as the directory does, but keeps those it found for two seconds, because a call looks one up twice. Whether
 * the caller may use the app is not kept: the gate asks that each time.
 */
export function cachedApps({ apps, clock }: Pick<PipelineDeps, 'apps' | 'clock'>): PipelineDeps['apps'] {
  const cache = createBoundedCache<string, Promise<AppName | undefined>>({
    max: MAX_CACHED_APPS,
    ttl: { ms: CACHED_MS, clock },
  })
  return {
    names: (orgId, appIds) => apps.names(orgId, appIds),
    find: (orgId, aliasOrId) => {
      const load = () => apps.find(orgId, aliasOrId)
      return loadOnce(cache, `${orgId} ${aliasOrId}`, load, (app) => app !== undefined)
    },
  }
}
