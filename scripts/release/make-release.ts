import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { currentBuild } from '../build-folder.ts'
import { listParts } from './list-parts.ts'
import { packChart } from './pack-chart.ts'
import { packServer } from './pack-server.ts'
import { releaseNotes } from './release-notes.ts'

/**
 * `npm run release`: makes everything a release is in `dist/release/`. The same commit gives the same bytes: no file has
 * the time or the place at which it was made.
 */
const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const dist = join(root, 'dist')
const release = join(dist, 'release')
const { version } = packageJson

await rm(release, { recursive: true, force: true })
await mkdir(release, { recursive: true })
await run(process.execPath, [join(root, 'scripts', 'build.ts')], { cwd: root })
const server = await packServer(join(dist, 'server-package'))
for (const [name, folder] of [
  ['svc-client', join(dist, 'client')],
  ['svc-worker-sdk', join(dist, 'worker-sdk')],
  ['svc-server', server],
] as const) {
  await packPackage(name, folder)
}
await packChart(join(root, 'chart'), release)
await copySkills()
await writeFile(join(release, `sbom-${version}.spdx.json`), await listParts(root))
await writeFile(join(release, 'NOTES.md'), releaseNotes(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version))
await writeSums()
console.log(`${version} is in dist/release:\n${await readFile(join(release, 'SHA256SUMS'), 'utf8')}`)

/** `npm pack` writes the same bytes for the same files, and names the file after the package. */
async function packPackage(name: string, folder: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', folder, '--pack-destination', release, '--json', '--ignore-scripts'])
  const [packed] = JSON.parse(stdout) as [{ filename: string }]
  await rename(join(release, packed.filename), join(release, `${name}-${version}.tgz`))
}

async function copySkills(): Promise<void> {
  const skills = join(dist, 'builds', currentBuild(dist)!, 'skills')
  for (const file of await readdir(skills)) {
    if (file.endsWith('.tar.gz'))
      await cp(join(skills, file), join(release, `skill-${file.replace('.tar', `-${version}.tar`)}`))
  }
}

async function writeSums(): Promise<void> {
  const files = (await readdir(release)).toSorted()
  const lines = files.map(async (file) => {
    const digest = createHash('sha256')
      .update(await readFile(join(release, file)))
      .digest('hex')
    return `${digest}  ${file}\n`
  })
  await writeFile(join(release, 'SHA256SUMS'), (await Promise.all(lines)).join(''))
}
