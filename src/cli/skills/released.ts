import { createHash } from 'node:crypto'
import { INSTALLABLE_SKILLS, type SkillName } from '#contract/skills.ts'
import { SCOPES, type Scope } from './agents.ts'
import { blockOf } from './block.ts'
import { toLf } from './line-endings.ts'

/** By version, what each release published and installed: a name of the place and the digest of the text there. */
export type Releases = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Whether some release wrote this text there, so that nobody's own words are lost with it. */
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

/** Digests of the files this version publishes. Takes all skills, because one that is only published is recorded too. */
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

/** The places whose text is not the recorded one. Empty where the version is not recorded, or recorded as it is. */
export function changedSince(releases: Releases, version: string, digests: Readonly<Record<string, string>>): string[] {
  const recorded = releases[version]
  if (!recorded) return []
  const places = new Set([...Object.keys(recorded), ...Object.keys(digests)])
  return [...places].filter((place) => recorded[place] !== digests[place])
}

/** Adds a version to the table. One that is recorded cannot change: people may have installed it. */
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

/** Of the text whatever its line endings: git may change those. */
function digestOf(text: string): string {
  return createHash('sha256').update(toLf(text)).digest('hex')
}
