import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { DiffAppRevisions, DiffAppTexts } from '#ports/app-changes.ts'
import type { AppSource } from '#ports/apps.ts'
import { findLineFault } from '../../edits/line-fault.ts'
import { textOf } from '../../edits/text-file.ts'
import { addedLines, diffShowsEverything } from './diff-shows-everything.ts'

type Texts = ReadonlyMap<string, string>

/**
 * Returns why a reviewer of a change would not see all of it as it is, or undefined. Every text that becomes a revision by a
 * proposal passes it: when an edit is staged, before the revision is made, and whenever a stored one is shown or approved.
 */
export async function findUnshownText(
  diffTexts: DiffAppTexts,
  before: Texts,
  after: Texts,
): Promise<string | undefined> {
  const diff = await diffTexts(before, after)
  const fault = diffShowsEverything(diff, (path) => ({ before: before.get(path), after: after.get(path) }))
  return fault ?? findFaultyLine(diff, before)
}

function findFaultyLine({ files }: Awaited<ReturnType<DiffAppTexts>>, before: Texts): string | undefined {
  for (const { path, patch } of files) {
    const hasWindowsEnds = before.get(path)?.includes('\r\n') ?? false
    for (const line of addedLines(patch ?? '', hasWindowsEnds)) {
      const fault = findLineFault(line)
      if (fault !== undefined) return `The change of ${path} has ${fault}.`
    }
  }
  return undefined
}

type Deps = { readonly source: Pick<AppSource, 'read'>; readonly diff: DiffAppRevisions }
type Compared = {
  readonly org_id: string
  readonly app_id: string
  readonly base_revision_id: string
  readonly revision_id: string | null
}

/** Returns why a reviewer of a proposal does not see all of what it would deploy. Undefined: everything is seen. */
export type FindUnshown = (proposal: Compared) => Promise<string | undefined>

const MAX_REMEMBERED = 1_000

/**
 * Looks at stored proposals too, because a former release stored some that their diff does not show. Revisions never
 * change, so what was proven of two of them is remembered.
 */
export function createFindUnshown({ source, diff }: Deps): FindUnshown {
  const proven = createBoundedCache<string, true>({ max: MAX_REMEMBERED })
  return async ({ org_id, app_id, base_revision_id, revision_id }) => {
    if (revision_id === null) return 'The change makes no revision.'
    const key = `${base_revision_id} ${revision_id}`
    if (proven.get(key)) return undefined
    const shown = await diff({ orgId: org_id, appId: app_id, revisionId: revision_id }, base_revision_id)
    const paths = shown.files.map(({ path }) => path)
    const before = await readTexts(source, app_id, base_revision_id, paths)
    const after = await readTexts(source, app_id, revision_id, paths)
    const fault = await findUnshownText(async () => shown, before, after)
    if (fault === undefined) proven.set(key, true)
    return fault
  }
}

/** Files that are not there, or are no text, have no entry. */
export async function readTexts(
  source: Pick<AppSource, 'read'>,
  appId: string,
  revisionId: string,
  paths: Iterable<string>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const path of new Set(paths)) {
    const content = await source.read(appId, revisionId, path)
    const text = content && textOf(content)
    if (text !== undefined) texts.set(path, text)
  }
  return texts
}
