import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { readBundle } from '../src/cli/skills/bundle.ts'
import { makePublication } from '../src/server/areas/skills/publication.ts'
import { commitOf } from '../src/server/areas/skills/source.ts'

const root = join(import.meta.dirname, '..')

/** Writes the skill files and archives as they are served. */
export async function buildSkills(into: string): Promise<void> {
  const origin = { version: packageJson.version, commit: await commitOf(root) }
  for (const [path, bytes] of await makePublication(join(root, 'skills'), origin)) {
    await mkdir(dirname(join(into, path)), { recursive: true })
    await writeFile(join(into, path), bytes)
  }
}

/** Returns the skill files as a build constant of the client, which `src/cli/skills/bundle.ts` reads. */
export async function skillsDefine(): Promise<Record<string, string>> {
  return { SVC_SKILLS: JSON.stringify(JSON.stringify(await readBundle(join(root, 'skills')))) }
}
