import type { AppSource } from '#edge/apps.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { readManifest } from './store.ts'

/** Reads the live source of apps for parts that judge it. */
export function createAppSource({ db }: { db: Querier }): AppSource {
  return {
    async live(orgId, appId) {
      const [deploy] = await db.query<{ revision_id: string }>(sql`
        select revision_id from apps.deploys where app_id = ${appId} and state = 'live'`)
      const files = deploy && (await readManifest(db, orgId, deploy.revision_id))
      return files && { revisionId: deploy.revision_id, files: files.map(({ path, size }) => ({ path, size })) }
    },
  }
}
