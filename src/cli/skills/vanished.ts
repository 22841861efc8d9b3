import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BundledSkill } from './bundle.ts'
import { filePlace, type Releases, wasReleased } from './released.ts'
import { type Base, findTargetFile, type TargetFile } from './target-file.ts'

/** Whether an installation removes or keeps a file of an earlier version that this version does not have. */
export type VanishedStep =
  | { readonly action: 'remove'; readonly target: TargetFile }
  | { readonly action: 'keep'; readonly why: string }

/**
 * Plans what becomes of files in `skillFolder` that an earlier version wrote and this one does not have. A file is
 * removed only if its text is that of a release, so that no edit of a user is lost.
 */
export async function planVanished(
  skill: BundledSkill,
  releases: Releases,
  base: Base,
  skillFolder: string,
): Promise<({ path: string } & VanishedStep)[]> {
  const steps: ({ path: string } & VanishedStep)[] = []
  for (const file of vanishedFiles(skill, releases)) {
    const path = `${skillFolder}/${file}`
    const isReleased = (text: string) => wasReleased(releases, filePlace(skill.id, file), text)
    const step = await planOne(base, path, isReleased)
    if (step) steps.push({ path, ...step })
  }
  return steps
}

async function planOne(
  base: Base,
  path: string,
  isReleased: (text: string) => boolean,
): Promise<VanishedStep | undefined> {
  const target = await findTargetFile(base, path)
  if (typeof target === 'string') return { action: 'keep', why: target }
  if (!target.before) return undefined
  // Removing the target of a link would leave a link to nothing, and the link was not written by an installation.
  if ((await lstat(join(base.folder, path))).isSymbolicLink()) return { action: 'keep', why: 'is a link' }
  return isReleased(target.before.toString('utf8'))
    ? { action: 'remove', target }
    : { action: 'keep', why: 'was edited' }
}

/** Returns the paths in the skill that a release had and this version does not have. */
function vanishedFiles({ id, files }: BundledSkill, releases: Releases): string[] {
  const current = new Set(files.map(({ path }) => filePlace(id, path)))
  const released = new Set(Object.values(releases).flatMap((release) => Object.keys(release)))
  const prefix = filePlace(id, '')
  return [...released]
    .filter((place) => place.startsWith(prefix) && !current.has(place))
    .map((place) => place.slice(prefix.length))
    .sort()
}
