import { createHash } from 'node:crypto'
import { INSTALLABLE_SKILLS, type SkillName } from '#contract/skills.ts'
import { SCOPES, type Scope } from './agents.ts'
import { blockOf } from './block.ts'
import { toLf } from './line-endings.ts'

/** For each version, the digest of every text it published or installed, by place. */
export type Releases = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Whether a release wrote this text there, so that replacing it loses no edits of a user. */
export function wasReleased(releases: Releases, place: string, text: string): boolean {
  const digest = digestOf(text)
  return Object.values(releases).some((release) => release[place] === digest)
}

export function filePlace(id: SkillName, path: string): string {
  return `${id}/${path}`
}

export function blockPlace(id: SkillName, scope: Scope): string {
  return `${id}, block of ${scope}`
}

type Files = readonly { readonly path: string; readonly text: string }[]

/** Returns digests of the files this version publishes. Takes all skills, including those that are only published. */
export function digestsOfRelease(
  skills: readonly { readonly id: SkillName; readonly files: Files }[],
): Record<string, string> {
  return Object.fromEntries(
    skills.flatMap(({ id, files }) => [
      ...files.map(({ path, text }) => [filePlace(id, path), digestOf(text)]),
      ...(INSTALLABLE_SKILLS.includes(id) ? SCOPES : []).map((scope) => [
        blockPlace(id, scope),
        digestOf(blockOf(id, scope)),
      ]),
    ]),
  ) as Record<string, string>
}

/** Returns the places whose text differs from the recorded one. Empty if the version is not recorded. */
export function changedSince(releases: Releases, version: string, digests: Readonly<Record<string, string>>): string[] {
  const recorded = releases[version]
  if (!recorded) return []
  const places = new Set([...Object.keys(recorded), ...Object.keys(digests)])
  return [...places].filter((place) => recorded[place] !== digests[place])
}

/** Adds a version to the table. Throws if the version is recorded with other text, because it may be installed. */
export function recordRelease(
  releases: Releases,
  version: string,
  digests: Readonly<Record<string, string>>,
): Releases {
  const changed = changedSince(releases, version, digests)
  if (changed.length === 0) return { ...releases, [version]: releases[version] ?? digests }
  throw new Error(
    `Version ${version} is recorded with other text in: ${changed.join('; ')}. A recorded version cannot change. ` +
      'Set a new version in package.json and in every skills/*/SKILL.md, then run this again.',
  )
}

/** Returns a digest that ignores line endings, because git may change them. */
function digestOf(text: string): string {
  return createHash('sha256').update(toLf(text)).digest('hex')
}
