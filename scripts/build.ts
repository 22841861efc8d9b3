import { cp, glob, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { EMPTY_CLUSTER } from '../src/lib/db/cluster.ts'
import { assets, WORKERS } from '../src/server/process/assets.ts'
import { buildCli, packClient } from './build-cli.ts'
import { buildConsole } from './build-console.ts'
import { buildSkills } from './build-skills.ts'
import { packSdk } from './pack-sdk.ts'

/**
 * `node scripts/build.ts [part…]` makes a release in `dist/`. `lib/bundle.ts` and `process/assets.ts` find its files.
 */
const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  define: { SVC_BUNDLED: 'true' },
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

const PARTS: Record<string, () => Promise<unknown>> = {
  // A release has its production dependencies installed, some of which carry wasm or native files.
  server: async () => {
    const options = { ...common, packages: 'external' } as const
    await build({ ...options, entryPoints: ['src/server/main.ts'], outfile: 'dist/server.js' })
    await build({ ...options, entryPoints: ['src/server/svc-server.ts'], outfile: 'dist/svc-server.js' })
  },
  workers: () =>
    build({ ...common, packages: 'external', entryPoints: WORKERS, entryNames: '[name]', outdir: 'dist/workers' }),
  cli: async () => {
    await buildCli(common)
    await packClient()
  },
  sdk: () => packSdk(join(dist, 'worker-sdk')),
  skills: () => buildSkills(),
  migrations: copyMigrations,
  look: () => cp(join(root, 'src', 'look'), join(dist, 'look'), { recursive: true }),
  cluster: async () => {
    for (const file of [EMPTY_CLUSTER, assets.preparedSchema()]) await cp(file, join(dist, basename(file)))
  },
  examples: () => cp(join(root, 'examples'), join(dist, 'examples'), { recursive: true }),
  console: buildConsole,
}

async function copyMigrations(): Promise<void> {
  for await (const folder of glob(['src/lib/migrations', 'src/server/areas/*/migrations'], { cwd: root })) {
    await cp(join(root, folder), join(dist, 'migrations', basename(dirname(folder))), { recursive: true })
  }
}

async function printSizes(): Promise<void> {
  for await (const file of glob('**/*.{js,cjs,css,html}', { cwd: dist })) {
    const { size } = await stat(join(dist, file))
    console.log(`${(size / 1024).toFixed(1).padStart(9)} KiB  ${relative(root, join(dist, file))}`)
  }
}

const requestedParts = process.argv.slice(2)
const unknown = requestedParts.filter((part) => !(part in PARTS))
if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}: there are ${Object.keys(PARTS).join(', ')}`)

const startedAt = performance.now()
if (requestedParts.length === 0) await rm(dist, { recursive: true, force: true })
for (const [name, make] of Object.entries(PARTS)) {
  if (requestedParts.length === 0 || requestedParts.includes(name)) await make()
}
await printSizes()
console.log(`built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
