import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { WORKERS } from '../src/server/process/assets.ts'

type Place = {
  /** The checkout. */
  root: string
  /** Source of the server, from `root`. */
  entry: string
  /** Sources of threads and child processes, from `root`. */
  workers: readonly string[]
}

const CHECKOUT: Place = { root: join(import.meta.dirname, '..'), entry: 'src/server/main.ts', workers: WORKERS }
/** Files that decide how the bundle is made, beside the sources in it. */
const BUILT_BY = ['package.json', 'scripts/server-bundle.ts']
/** `lib/bundle.ts` finds the checkout two folders above. */
const FOLDER = join('dist', 'start')
const SOURCES = 'sources.json'

/** Time of the last change and size of each source, by its path from the checkout. */
type Sources = Record<string, [changedMs: number, size: number]>

/**
 * Returns the file of the server that `npm start` runs: all sources joined into one, because a thousand files take half
 * a second longer to load, and a second and a half longer where their types were not stripped before. Makes it where it
 * is missing or a source was changed since.
 */
export async function bundledServer(place: Place = CHECKOUT): Promise<string> {
  const { root, entry } = place
  const folder = join(root, FOLDER)
  if (!isCurrent(root, folder)) await makeBundle(place, folder)
  return join(folder, `${basename(entry, '.ts')}.js`)
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
 * Writes the list of sources last and renames every file into place, because a second start may do the same meanwhile.
 * A source that is changed during the build is listed as never built, so that the next start builds again.
 */
async function makeBundle({ root, entry, workers }: Place, folder: string): Promise<void> {
  const beganMs = Date.now()
  const { build, stop } = await import('esbuild')
  const options = {
    absWorkingDir: root,
    outdir: FOLDER,
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
    build({ ...options, entryPoints: [entry], splitting: true }),
    // A sandbox shows the code of a child process one file and no other.
    build({ ...options, entryPoints: [...workers], entryNames: '[name]' }),
  ])
  await stop()
  await mkdir(folder, { recursive: true })
  const files = built.flatMap(({ outputFiles }) => outputFiles)
  for (const { path, contents } of files) await replace(path, contents)
  const sources: Sources = {}
  for (const path of [...built.flatMap(({ metafile }) => Object.keys(metafile.inputs)), ...BUILT_BY]) {
    const { mtimeMs, size } = statSync(join(root, path))
    sources[path] = [mtimeMs <= beganMs ? mtimeMs : 0, size]
  }
  await replace(join(folder, SOURCES), JSON.stringify(sources))
  await removeOthers(folder, new Set(files.map(({ path }) => basename(path))))
}

/** Removes parts of former bundles. A server that still runs from them has loaded all of them at its start. */
async function removeOthers(folder: string, names: ReadonlySet<string>): Promise<void> {
  const others = globSync('*.{js,js.map}', { cwd: folder }).filter((name) => !names.has(name))
  for (const name of others) await rm(join(folder, name), { force: true })
}

async function replace(file: string, contents: string | Uint8Array): Promise<void> {
  const part = join(dirname(file), `.${basename(file)}.${process.pid}.part`)
  await writeFile(part, contents)
  await rename(part, file)
}
