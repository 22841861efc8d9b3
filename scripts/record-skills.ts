import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { readBundle } from '../src/cli/skills/bundle.ts'
import { digestsOfRelease } from '../src/cli/skills/released.ts'

/**
 * `node scripts/record-skills.ts`, before a release is tagged: notes what this version installs, so that later ones
 * can tell an older file from an edited one.
 */
const folder = join(import.meta.dirname, '..', 'skills')
const { skills, releases } = await readBundle(folder)
const recorded = { ...releases, [packageJson.version]: digestsOfRelease(skills) }
const file = join(folder, 'releases.json')
const text = `${JSON.stringify(recorded, null, 2)}\n`
if ((await readFile(file, 'utf8')) !== text) await writeFile(file, text)
console.log(`recorded ${packageJson.version}`)
