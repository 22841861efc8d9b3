import { cp, glob, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { EMPTY_CLUSTER } from '../src/lib/db/embedded/cluster.ts'
import { FILES, SERVED } from '../src/server/areas/guides/site/form.ts'
import { assets, CLIENT_FILE, WORKERS } from '../src/server/files/assets.ts'
import { buildCli, packClient } from './build-cli.ts'
import { buildPage } from './build-console.ts'
import { makeBuild } from './build-folder.ts'
import { buildGuides } from './build-guides.ts'
import { BUILD_OPTIONS } from './build-options.ts'
import { buildSkills } from './build-skills.ts'
import { packSdk } from './pack-sdk.ts'

/**
 * `node scripts/build.ts [part…]` makes a release in `dist/`. The files of the server are in a folder of their own for
 * each build; `lib/files/bundle.ts` and `server/files/assets.ts` find them.
 */
const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

const PARTS: Record<string, () => Promise<unknown>> = {
  server: () => makeBuild(dist, buildServer),
  cli: async () => {
    await buildCli(dist)
    await writeFile(join(dist, 'client.tgz'), await packClient())
  },
  guides: () => buildGuides(join(dist, 'guides'), FILES),
  sdk: () => packSdk(join(dist, 'worker-sdk')),
}

async function buildServer(folder: string): Promise<void> {
  // A release has its production dependencies installed, some of which carry wasm or native files.
  const options = { ...BUILD_OPTIONS, packages: 'external' } as const
  const programs = { server: 'src/server/main.ts', 'svc-server': 'src/server/svc-server.ts' }
  // Split, because otherwise each program would load the packages of all code that it may need.
  await build({ ...options, entryPoints: programs, outdir: folder, splitting: true })
  await build({ ...options, entryPoints: WORKERS, entryNames: '[name]', outdir: join(folder, 'workers') })
  await buildSkills(join(folder, 'skills'))
  await writeFile(join(folder, CLIENT_FILE), await packClient())
  await buildGuides(join(folder, 'guides'), SERVED)
  await copyMigrations(folder)
  await cp(join(root, 'src', 'look'), join(folder, 'look'), { recursive: true })
  for (const file of [EMPTY_CLUSTER, assets.preparedSchema(), assets.packageJson()]) {
    await cp(file, join(folder, basename(file)))
  }
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  await buildPage(join(root, 'src', 'console'), join(folder, 'console'))
}

async function copyMigrations(folder: string): Promise<void> {
  for await (const from of glob(['src/lib/migrations', 'src/server/areas/*/migrations'], { cwd: root })) {
    await cp(join(root, from), join(folder, 'migrations', basename(dirname(from))), { recursive: true })
  }
}

async function printSizes(): Promise<void> {
  for await (const file of glob('**/*.{js,cjs,css,html}', { cwd: dist, exclude: ['**/guides/*.html'] })) {
    const { size } = await stat(join(dist, file))
    console.log(`${(size / 1024).toFixed(1).padStart(9)} KiB  ${relative(root, join(dist, file))}`)
  }
}

const requestedParts = process.argv.slice(2)
const unknown = requestedParts.filter((part) => !(part in PARTS))
if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}: there are ${Object.keys(PARTS).join(', ')}`)

const startedAt = performance.now()
for (const [name, make] of Object.entries(PARTS)) {
  if (requestedParts.length === 0 || requestedParts.includes(name)) await make()
}
await printSizes()
console.log(`built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
