import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type FileChange, MAX_COMPARED_BYTES, type RevisionFile } from '#contract/apps/revisions.ts'
import type { Querier } from '#lib/db/db.ts'
import type { DiffAppRevisions, DiffAppTexts } from '#ports/app-changes.ts'
import { readBlobs } from './blob-store.ts'
import { changeOf, type Difference, findDifferences, modeOf } from './compare.ts'
import { toPatch } from './patch.ts'
import { readManifest } from './store.ts'

const MAX_PATCH_BYTES = 1024 * 1024
const MAX_DIFF_MS = 2_000

type Diff = { readonly files: FileChange[]; readonly truncated: boolean }

type Compared = { readonly orgId: string; readonly baseId: string | undefined; readonly revisionId: string }

export function createRevisionDiff({ db }: { db: Querier }): DiffAppRevisions {
  return ({ orgId, revisionId }, baseId) => diffRevisions(db, { orgId, baseId, revisionId })
}

/** Compares texts as `diffRevisions` compares the files of revisions, before there is a revision of them. */
export const diffTexts: DiffAppTexts = (before, after) => {
  const contents = new Map<string, Buffer>()
  const toFiles = (texts: ReadonlyMap<string, string>) =>
    [...texts].map(([path, text]): RevisionFile => {
      const content = Buffer.from(text)
      const sha256 = hash('sha256', content)
      contents.set(sha256, content)
      return { path, size: content.byteLength, sha256, executable: false }
    })
  return diffFiles(findDifferences(toFiles(before), toFiles(after)), async () => contents)
}

/** Compares two revisions of an organization. Without `baseId` every file is added. All files that differ are listed. */
export async function diffRevisions(db: Querier, { orgId, baseId, revisionId }: Compared): Promise<Diff> {
  const base = baseId === undefined ? [] : ((await readManifest(db, { orgId }, baseId)) ?? [])
  const next = (await readManifest(db, { orgId }, revisionId)) ?? []
  return diffFiles(findDifferences(base, next), (sha256s) => readBlobs(db, orgId, sha256s))
}

type ReadContents = (sha256s: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>

/** Patches are left out once the answer would be too large or take too long. */
async function diffFiles(differences: readonly Difference[], read: ReadContents): Promise<Diff> {
  const startedMs = performance.now()
  const files: FileChange[] = []
  let bytes = 0
  for (const difference of differences) {
    const isOver = bytes >= MAX_PATCH_BYTES || performance.now() - startedMs > MAX_DIFF_MS
    const shown = isOver ? leaveOut(difference) : await showContent(difference, read)
    const size = Buffer.byteLength(shown.patch ?? '')
    const fits = bytes + size <= MAX_PATCH_BYTES
    if (fits) bytes += size
    const { path } = difference
    files.push({
      path,
      change: changeOf(difference),
      mode: modeOf(difference),
      ...(fits ? shown : leaveOut(difference)),
    })
  }
  return { files, truncated: files.some(({ not_shown }) => not_shown === 'left_out') }
}

type Content = Pick<FileChange, 'patch' | 'not_shown'>
const SAME: Content = { patch: null, not_shown: null }

function leaveOut(difference: Difference): Content {
  return contentByDigest(difference) ?? { patch: null, not_shown: 'left_out' }
}

/** Returns the content where digests and sizes decide it, so that no file is read. Undefined: files must be read. */
function contentByDigest({ before, after }: Difference): Content | undefined {
  if (before?.sha256 === after?.sha256) return SAME
  const isLarge = [before, after].some((file) => file !== undefined && file.size > MAX_COMPARED_BYTES)
  return isLarge ? { patch: null, not_shown: 'too_large' } : undefined
}

async function showContent(difference: Difference, read: ReadContents): Promise<Content> {
  const unreadContent = contentByDigest(difference)
  if (unreadContent) return unreadContent
  // Lets other requests go on between two comparisons.
  await setImmediate()
  const { path, before, after } = difference
  const contents = await read([before, after].flatMap((file) => (file ? [file.sha256] : [])))
  const shown = toPatch(path, {
    before: before && contents.get(before.sha256),
    after: after && contents.get(after.sha256),
  })
  return typeof shown === 'string' ? { patch: null, not_shown: shown } : { ...shown, not_shown: null }
}
