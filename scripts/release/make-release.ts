import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { packRelease } from './pack-release.ts'

/**
 * `npm run release [-- --base-image <folder>]`: builds, and makes everything a release is in `dist/release/`. The image
 * of the server is made where its base is named, as an OCI layout.
 */
const { values } = parseArgs({ options: { 'base-image': { type: 'string' } } })
const root = join(import.meta.dirname, '..', '..')
const release = join(root, 'dist', 'release')

await promisify(execFile)(process.execPath, [join(root, 'scripts', 'build.ts')], { cwd: root })
await packRelease(release, { print: console.log, baseImage: values['base-image'] })
console.log(`${packageJson.version} is in dist/release:\n${await readFile(join(release, 'SHA256SUMS'), 'utf8')}`)
