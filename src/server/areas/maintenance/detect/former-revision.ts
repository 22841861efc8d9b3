/** Whether a line was written by a revision that is not live. A line whose revision is not stated counts as one of the live revision. */
export function isFormerRevision(revisionId: string | null | undefined, live: string | null): boolean {
  return typeof revisionId === 'string' && live !== null && revisionId !== live
}

type CitedLine = { readonly revision_id?: string | null | undefined }

/**
 * Returns the revision of the newest line if revisions that are not live wrote all lines of a finding, which then says
 * nothing about the app as it runs now. Null otherwise, and for a finding without lines.
 */
export function formerRevisionOf(lines: readonly CitedLine[], live: string | null): string | null {
  const isFormer = lines.length > 0 && lines.every(({ revision_id }) => isFormerRevision(revision_id, live))
  return isFormer ? (lines.at(-1)?.revision_id ?? null) : null
}
