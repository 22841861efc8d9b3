import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { descriptionOfSkill, filesOfSkill, INSTALLABLE_SKILLS, type SkillName } from '#contract/skills.ts'
import type { Releases } from './released.ts'

/** Content of the skills, defined by the build, which makes the client one file. */
declare const SVC_SKILLS: string | undefined
/** Defined by the build of an executable, which carries the files of the skills folder as assets. */
declare const SVC_EXECUTABLE: boolean | undefined

export type BundledSkill = {
  readonly id: SkillName
  readonly description: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

export type Bundle = { readonly skills: readonly BundledSkill[]; readonly releases: Releases }

/** Reads a file of the skills folder by its path in it. */
type ReadText = (path: string) => Promise<string>

/** Loads the skills of this client: from the skills folder in a checkout, from the bundle or the assets in a release. */
export async function loadBundle(): Promise<Bundle> {
  if (typeof SVC_SKILLS !== 'undefined') return JSON.parse(SVC_SKILLS) as Bundle
  if (typeof SVC_EXECUTABLE !== 'undefined') return bundleFrom(await openAssets())
  return readBundle(join(import.meta.dirname, '..', '..', '..', 'skills'))
}

export function readBundle(folder: string): Promise<Bundle> {
  return bundleFrom(inFolder(folder))
}

export function readSkills(folder: string, names: readonly SkillName[]): Promise<BundledSkill[]> {
  return skillsFrom(inFolder(folder), names)
}

function inFolder(folder: string): ReadText {
  return (path) => readFile(join(folder, path), 'utf8')
}

async function openAssets(): Promise<ReadText> {
  const { getAsset } = await import('node:sea')
  return async (path) => getAsset(path, 'utf8')
}

async function bundleFrom(read: ReadText): Promise<Bundle> {
  const releases = JSON.parse(await read('releases.json')) as Releases
  return { skills: await skillsFrom(read, INSTALLABLE_SKILLS), releases }
}

function skillsFrom(read: ReadText, names: readonly SkillName[]): Promise<BundledSkill[]> {
  return Promise.all(names.map((id) => skillFrom(read, id)))
}

async function skillFrom(read: ReadText, id: SkillName): Promise<BundledSkill> {
  const files = await Promise.all(filesOfSkill(id).map(async (path) => ({ path, text: await read(`${id}/${path}`) })))
  return { id, description: descriptionOfSkill(files[0]!.text), files }
}
