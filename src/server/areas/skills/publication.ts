import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  DISCOVERY_SCHEMA,
  descriptionOfSkill,
  filesOfSkill,
  SKILL_NAMES,
  SKILLS,
  SKILLS_PATH,
  type SkillIndex,
  type SkillName,
} from '#contract/skills.ts'
import { packTarGz } from '#lib/files/tar-gz.ts'
import { refOfFiles, sha256 } from './release.ts'

/** Everything that is served, by its path under `/.well-known/agent-skills/`. */
export type Publication = ReadonlyMap<string, Buffer>

/** The version of the files, and the commit they were read at; null for files that belong to no commit. */
type Origin = { readonly version: string; readonly commit: string | null }

/** Makes the publication from the sources. A release stores the result, because compressors differ in their output. */
export async function makePublication(folder: string, { version, commit }: Origin): Promise<Publication> {
  const artifacts = await readFiles(folder)
  const ref = refOfFiles(artifacts, await readFile(join(folder, 'releases.json'), 'utf8'), version)
  const skills: SkillIndex['skills'] = []
  for (const name of SKILL_NAMES) {
    const files = filesOfSkill(name)
    if (SKILLS[name].type === 'archive') {
      // At the root under their plain names, because clients refuse `./SKILL.md` and a folder around all files.
      const inside = files.map((path) => ({ path, bytes: artifacts.get(`${name}/${path}`)! }))
      artifacts.set(artifactOf(name), await packTarGz(inside))
    }
    skills.push({
      name,
      type: SKILLS[name].type,
      description: descriptionOfSkill(artifacts.get(`${name}/SKILL.md`)!.toString('utf8')),
      url: `${SKILLS_PATH}/${artifactOf(name)}`,
      digest: `sha256:${sha256(artifacts.get(artifactOf(name))!)}`,
      files,
    })
  }
  const index: SkillIndex = { $schema: DISCOVERY_SCHEMA, skills, _source: { ref, commit } }
  return new Map([['index.json', Buffer.from(`${JSON.stringify(index, null, 2)}\n`)], ...artifacts])
}

async function readFiles(folder: string): Promise<Map<string, Buffer>> {
  const paths = SKILL_NAMES.flatMap((name) => filesOfSkill(name).map((file) => `${name}/${file}`))
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path))] as const)))
}

/** Reads a publication that `makePublication` made at build time. */
export async function readPublication(folder: string): Promise<Publication> {
  const paths = SKILL_NAMES.flatMap((name) => [
    artifactOf(name),
    ...filesOfSkill(name).map((file) => `${name}/${file}`),
  ])
  const all = ['index.json', ...new Set(paths)]
  return new Map(await Promise.all(all.map(async (path) => [path, await readFile(join(folder, path))] as const)))
}

function artifactOf(name: SkillName): string {
  return SKILLS[name].type === 'archive' ? `${name}.tar.gz` : `${name}/SKILL.md`
}
