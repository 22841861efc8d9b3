import { createHash } from 'node:crypto'
import type { SkillName } from '#contract/skills.ts'
import { SCOPES, type Scope } from './agents.ts'
import { blockOf } from './block.ts'
import { toLf } from './line-endings.ts'

/** By version, what each release wrote: a name of the place and the digest of the text there. */
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

/** What this version writes, for the table of those to come. */
export function digestsOfRelease(
  skills: readonly { readonly id: SkillName; readonly files: Files }[],
): Record<string, string> {
  return Object.fromEntries(
    skills.flatMap(({ id, files }) => [
      ...files.map(({ path, text }) => [filePlace(id, path), digestOf(text)]),
      ...SCOPES.map((scope) => [blockPlace(id, scope), digestOf(blockOf(id, scope))]),
    ]),
  ) as Record<string, string>
}

/** Of the text whatever its line endings: git may change those. */
function digestOf(text: string): string {
  return createHash('sha256').update(toLf(text)).digest('hex')
}
