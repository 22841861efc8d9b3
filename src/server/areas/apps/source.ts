import type { RevisionFile } from '#contract/apps/revisions.ts'
import type { Querier } from '#lib/db/db.ts'
import type { AppSource, SourceFile } from '#ports/apps.ts'
import { findLiveRevision } from './deploys/store.ts'
import { readFiles } from './revisions/read-files.ts'
import { readFile, readManifest } from './revisions/store.ts'

/** Reads the source of apps for parts that judge it. */
export function createAppSource({ db }: { db: Querier }): AppSource {
  const files: AppSource['files'] = async (appId, revisionId, tx) =>
    (await readManifest(tx ?? db, { appId }, revisionId))?.map(toSourceFile)
  return {
    async live(orgId, appId) {
      const revisionId = await findLiveRevision(db, orgId, appId)
      const found = revisionId === undefined ? undefined : await files(appId, revisionId)
      return found && { revisionId: revisionId!, files: found }
    },
    files,
    read: (appId, revisionId, path) => readFile(db, appId, revisionId, path),
    readAll: (orgId, revisionId, maxBytes) => readFiles(db, orgId, revisionId, maxBytes),
  }
}

function toSourceFile({ path, size, sha256 }: RevisionFile): SourceFile {
  return { path, size, sha256 }
}
