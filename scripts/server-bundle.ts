import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { cp, mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { EMPTY_CLUSTER } from '../src/lib/db/embedded/cluster.ts'
import { forgetUsers, holdBuild, removeUnusedBuilds } from '../src/lib/processes/build-users.ts'
import { WORKERS } from '../src/server/files/assets.ts'
import { replace } from './build-folder.ts'

type Place = {
  /** The checkout. */
  root: string
  /** Source of the server, from `root`. */
  entry: string
  /** Sources of programs that share code with the server, from `root`. */
  programs?: readonly string[]
  /** Sources of threads and child processes, from `root`. */
  workers: readonly string[]
  /** Other files that a running server reads long after its start, from `root`. */
  files: readonly string[]
  /** Whether this process runs the bundle. It is then marked as used before another start can remove it. */
  isOwn?: boolean
}

const ROOT = join(import.meta.dirname, '..')
const CHECKOUT: Place = {
  root: ROOT,
  entry: 'src/server/main.ts',
  programs: ['src/server/svc-server.ts'],
  workers: WORKERS,
  files: [relative(ROOT, EMPTY_CLUSTER)],
  isOwn: true,
}
/** Files that decide how the bundle is made, beside the sources in it. */
const BUILT_BY = ['package.json', 'scripts/server-bundle.ts']
/** Has a folder for each bundle, which `lib/files/bundle.ts` finds the checkout three folders above. */
const FOLDER = join('dist', 'start')
/** Names the folder of the current bundle. */
const CURRENT = 'current'
const SOURCES = 'sources.json'

/** Time of the last change and size of each source, by its path from the checkout. */
type Sources = Record<string, [changedMs: number, size: number]>

/**
 * Returns the file of the server that `npm start` runs: all sources joined into one, because a thousand files take half
 * a second longer to load, and a second and a half longer where their types were not stripped before. Makes it where it
 * is missing or a source was changed since, in a folder of its own, because a server may run from the former one and
 * load parts of it, or start processes from it, much later.
 */
export async function bundledServer(place: Place = CHECKOUT): Promise<string> {
  const { root, entry } = place
  const bundles = join(root, FOLDER)
  const former = readCurrent(bundles)
  const id = former !== undefined && isCurrent(root, join(bundles, former)) ? former : await makeBundle(place, bundles)
  if (place.isOwn) holdBuild(join(bundles, id))
  if (id !== former) await removeUnusedBuilds(bundles, [id, former])
  return join(bundles, id, `${basename(entry, '.ts')}.js`)
}

function readCurrent(bundles: string): string | undefined {
  const file = join(bundles, CURRENT)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Compares for equality, because a source can also be replaced by an older one. */
function isCurrent(root: string, folder: string): boolean {
  const list = join(folder, SOURCES)
  if (!existsSync(list)) return false
  const sources = JSON.parse(readFileSync(list, 'utf8')) as Sources
  return Object.entries(sources).every(([path, [changedMs, size]]) => {
    const now = statSync(join(root, path), { throwIfNoEntry: false })
    return now?.mtimeMs === changedMs && now.size === size
  })
}

/**
 * Returns the name of the new bundle's folder. It is renamed into place when it is complete, because a second start may
 * do the same meanwhile. A source that is changed during the build is listed as never built, so that the next start
 * builds again.
 */
async function makeBundle(
  { root, entry, programs = [], workers, files, isOwn }: Place,
  bundles: string,
): Promise<string> {
  const beganMs = Date.now()
  const id = randomBytes(8).toString('hex')
  const folder = join(bundles, id)
  const unfinished = `${folder}.part`
  const { build, stop } = await import('esbuild')
  const options = {
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    define: { SVC_STARTED_FROM_BUNDLE: 'true' },
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'silent',
    metafile: true,
    write: false,
  } as const
  const built = await Promise.all([
    // Split, because otherwise packages of code that is loaded on demand would be loaded at each start.
    build({ ...options, entryPoints: [entry, ...programs], entryNames: '[name]', splitting: true }),
    // A sandbox shows the code of a child process one file and no other.
    build({ ...options, entryPoints: [...workers], entryNames: '[name]' }),
  ])
  await stop()
  await mkdir(unfinished, { recursive: true })
  // Another start that runs at the same time must not remove it.
  holdBuild(unfinished)
  for (const { path, contents } of built.flatMap(({ outputFiles }) => outputFiles)) {
    await writeFile(join(unfinished, relative(folder, path)), contents)
  }
  for (const path of files) await cp(join(root, path), join(unfinished, basename(path)))
  const sources: Sources = {}
  for (const path of [...built.flatMap(({ metafile }) => Object.keys(metafile.inputs)), ...files, ...BUILT_BY]) {
    const { mtimeMs, size } = statSync(join(root, path))
    sources[path] = [mtimeMs <= beganMs ? mtimeMs : 0, size]
  }
  await writeFile(join(unfinished, SOURCES), JSON.stringify(sources))
  if (!isOwn) await forgetUsers(unfinished)
  await rename(unfinished, folder)
  await replace(join(bundles, CURRENT), id)
  return id
}
