import type { RevisionFile } from '#contract/apps/revisions.ts'
import { notFound } from '#contract/core/errors.ts'
import type { Querier } from '#lib/db/db.ts'
import type { SourceFile } from '../deploys/target.ts'
import { readBlobs } from './blob-store.ts'
import { readManifest } from './store.ts'

const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_COUNT = 256

/**
 * Yields the files of a revision by path, with one batch of contents in memory at a time. Files over `maxFileBytes` are
 * left out.
 */
export async function* readFiles(
  db: Querier,
  orgId: string,
  revisionId: string,
  maxFileBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<SourceFile> {
  const manifest = await readManifest(db, { orgId }, revisionId)
  if (!manifest) throw notFound('revision')
  for (const batch of batchesOf(manifest.filter(({ size }) => size <= maxFileBytes))) {
    const contents = await readBlobs(db, orgId, [...new Set(batch.map(({ sha256 }) => sha256))])
    for (const { path, executable, sha256 } of batch) {
      const content = contents.get(sha256)
      if (!content) throw new Error(`the content of ${path} of revision ${revisionId} is not stored`)
      yield { path, executable, content }
    }
  }
}

/** Splits files so that each part has few bytes. A large file is a part of its own. */
function* batchesOf(files: readonly RevisionFile[]): Generator<RevisionFile[]> {
  let batch: RevisionFile[] = []
  let bytes = 0
  for (const file of files) {
    if (batch.length > 0 && (bytes + file.size > BATCH_BYTES || batch.length >= BATCH_COUNT)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += file.size
  }
  if (batch.length > 0) yield batch
}
