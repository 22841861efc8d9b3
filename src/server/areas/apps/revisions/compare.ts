import type { RevisionFile } from '#contract/apps/revisions.ts'

/** A file that differs between two revisions. */
export type Difference = {
  readonly path: string
  readonly before: RevisionFile | undefined
  readonly after: RevisionFile | undefined
}

/** Returns the files that differ, by path. Renames are not recognised: they are a removed and an added file. */
export function findDifferences(base: readonly RevisionFile[], next: readonly RevisionFile[]): Difference[] {
  const before = new Map(base.map((file) => [file.path, file]))
  const after = new Map(next.map((file) => [file.path, file]))
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .filter(({ before: a, after: b }) => a?.sha256 !== b?.sha256 || a?.executable !== b?.executable)
}

export function changeOf({ before, after }: Difference): 'added' | 'removed' | 'modified' {
  if (!before) return 'added'
  return after ? 'modified' : 'removed'
}

/** The new mode, or null if it stayed the same. A new file that cannot be executed has the usual mode. */
export function modeOf({ before, after }: Difference): 'executable' | 'not_executable' | null {
  if (!after || (before?.executable ?? false) === after.executable) return null
  return after.executable ? 'executable' : 'not_executable'
}
