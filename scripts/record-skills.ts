import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { readSkills } from '../src/cli/skills/bundle.ts'
import { digestsOfRelease, type Releases, recordRelease } from '../src/cli/skills/released.ts'
import { SKILL_NAMES } from '../src/contract/skills.ts'

/**
 * `npm run skills:record`, before a release is tagged: writes the digests of this version's skills to
 * `skills/releases.json`, so that later versions can tell an older file from an edited one. Refuses to change a version
 * that is recorded already.
 */
const folder = process.argv[2] ?? join(import.meta.dirname, '..', 'skills')
const file = join(folder, 'releases.json')
const { version } = packageJson

try {
  const skills = await readSkills(folder, SKILL_NAMES)
  const others = skills.filter(({ files }) => !files[0]!.text.includes(`\n  version: "${version}"\n`))
  if (others.length > 0) {
    const names = others.map(({ id }) => `skills/${id}/SKILL.md`).join(', ')
    throw new Error(`package.json has version ${version}, and ${names} another. Set the same version in all of them.`)
  }
  const releases = JSON.parse(await readFile(file, 'utf8')) as Releases
  const recorded = recordRelease(releases, version, digestsOfRelease(skills))
  await writeFile(file, `${JSON.stringify(recorded, null, 2)}\n`)
  console.log(version in releases ? `${version} was recorded already and is unchanged` : `recorded ${version}`)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
