import type { RevisionFile } from '#contract/apps/revisions.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { AppSource, SourceFile } from '#ports/apps.ts'
import { readFiles } from './read-files.ts'
import { readFile } from './store.ts'

/** Reads the source of apps for parts that judge it. */
export function createAppSource({ db }: { db: Querier }): AppSource {
  const files: AppSource['files'] = async (appId, revisionId, tx) => {
    const [row] = await (tx ?? db).query<{ manifest: RevisionFile[] }>(sql`
      select manifest from apps.revisions where app_id = ${appId} and id = ${revisionId}`)
    return row?.manifest.map(toSourceFile)
  }
  return {
    async live(orgId, appId) {
      const [deploy] = await db.query<{ revision_id: string }>(sql`
        select revision_id from apps.deploys where org_id = ${orgId} and app_id = ${appId} and state = 'live'`)
      const found = deploy && (await files(appId, deploy.revision_id))
      return found && { revisionId: deploy.revision_id, files: found }
    },
    files,
    read: (appId, revisionId, path) => readFile(db, appId, revisionId, path),
    readAll: (orgId, revisionId, maxBytes) => readFiles(db, orgId, revisionId, maxBytes),
  }
}

function toSourceFile({ path, size, sha256 }: RevisionFile): SourceFile {
  return { path, size, sha256 }
}
