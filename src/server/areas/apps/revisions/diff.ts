import { setImmediate } from 'node:timers/promises'
import type { FileChange } from '#contract/apps/revisions.ts'
import type { DiffAppRevisions } from '#edge/app-changes.ts'
import type { Querier } from '#lib/db/db.ts'
import { readBlobs } from './blobs.ts'
import { changeOf, type Difference, findDifferences } from './compare.ts'
import { MAX_COMPARED_BYTES, toPatch } from './patch.ts'
import { readManifest } from './store.ts'

const MAX_PATCH_BYTES = 1024 * 1024
const MAX_DIFF_MS = 2_000

type Diff = { readonly files: FileChange[]; readonly truncated: boolean }

type Compared = { readonly orgId: string; readonly baseId: string | undefined; readonly revisionId: string }

export function createRevisionDiff({ db }: { db: Querier }): DiffAppRevisions {
  return ({ orgId, revisionId }, baseId) => diffRevisions(db, { orgId, baseId, revisionId })
}

/**
 * Compares two revisions of an organization. Without `baseId` every file is added. All files that differ are listed;
 * patches are left out once the answer would be too large or take too long.
 */
export async function diffRevisions(db: Querier, { orgId, baseId, revisionId }: Compared): Promise<Diff> {
  const base = baseId === undefined ? [] : ((await readManifest(db, orgId, baseId)) ?? [])
  const next = (await readManifest(db, orgId, revisionId)) ?? []
  const startedMs = performance.now()
  const files: FileChange[] = []
  let bytes = 0
  let truncated = false
  for (const difference of findDifferences(base, next)) {
    const isOver = bytes >= MAX_PATCH_BYTES || performance.now() - startedMs > MAX_DIFF_MS
    const hasText = isComparable(difference)
    const patch = hasText && !isOver ? await patchOf(db, orgId, difference) : null
    const size = Buffer.byteLength(patch ?? '')
    const fits = bytes + size <= MAX_PATCH_BYTES
    if (fits) bytes += size
    if (hasText && (isOver || !fits)) truncated = true
    files.push({ path: difference.path, change: changeOf(difference), patch: fits ? patch : null })
  }
  return { files, truncated }
}

function isComparable({ before, after }: Difference): boolean {
  const isSmall = (file: Difference['before']) => file === undefined || file.size <= MAX_COMPARED_BYTES
  return before?.sha256 !== after?.sha256 && isSmall(before) && isSmall(after)
}

async function patchOf(db: Querier, orgId: string, { path, before, after }: Difference): Promise<string | null> {
  // Lets other requests go on between two comparisons.
  await setImmediate()
  const sha256s = [before, after].flatMap((file) => (file ? [file.sha256] : []))
  const contents = await readBlobs(db, orgId, sha256s)
  return toPatch(path, { before: before && contents.get(before.sha256), after: after && contents.get(after.sha256) })
}
