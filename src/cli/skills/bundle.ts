import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { descriptionOfSkill, filesOfSkill, INSTALLABLE_SKILLS, type SkillName } from '#contract/skills.ts'
import type { Releases } from './released.ts'

/** Content of the skills, defined by the build, which makes the client one file. */
declare const SVC_SKILLS: string | undefined

export type BundledSkill = {
  readonly id: SkillName
  readonly description: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

export type Bundle = { readonly skills: readonly BundledSkill[]; readonly releases: Releases }

/** Loads the skills of this client: from the skills folder in a checkout, from the bundle in a release. */
export async function loadBundle(): Promise<Bundle> {
  if (typeof SVC_SKILLS !== 'undefined') return JSON.parse(SVC_SKILLS) as Bundle
  return readBundle(join(import.meta.dirname, '..', '..', '..', 'skills'))
}

export async function readBundle(folder: string): Promise<Bundle> {
  const releases = JSON.parse(await readFile(join(folder, 'releases.json'), 'utf8')) as Releases
  return { skills: await readSkills(folder, INSTALLABLE_SKILLS), releases }
}

export function readSkills(folder: string, names: readonly SkillName[]): Promise<BundledSkill[]> {
  return Promise.all(names.map((id) => readSkill(folder, id)))
}

async function readSkill(folder: string, id: SkillName): Promise<BundledSkill> {
  const read = async (path: string) => ({ path, text: await readFile(join(folder, id, path), 'utf8') })
  const files = await Promise.all(filesOfSkill(id).map(read))
  return { id, description: descriptionOfSkill(files[0]!.text), files }
}
