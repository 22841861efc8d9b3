import { globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { currentBuild } from '../../build-folder.ts'
import { isRuntimeFile } from './runtime-files.ts'

const root = join(import.meta.dirname, '..', '..', '..')

type Lock = { packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }> }

/** Names of processors in images, by those of Node. */
const NODE_ARCHITECTURES: Readonly<Record<string, string>> = { amd64: 'x64', arm64: 'arm64' }

/** Returns the files of the server as the Containerfile places them, without times, as a tar archive. */
export async function packLayer(architecture: string): Promise<Buffer> {
  const archive = pack()
  const bytes = buffer(archive)
  for (const path of serverFiles(architecture)) {
    const file = join(root, path)
    const mode = lstatSync(file).mode & 0o111 ? 0o755 : 0o644
    archive.entry({ name: `app/${path}`, mode, mtime: new Date(0) }, readFileSync(file))
  }
  archive.entry({ name: 'data', type: 'directory', mode: 0o755, uid: 65532, gid: 65532, mtime: new Date(0) })
  archive.finalize()
  return bytes
}

/** Paths in the checkout, sorted: the build, the launchers and the packages that the server needs at run time. */
export function serverFiles(architecture: string): string[] {
  const build = `dist/builds/${currentBuild(join(root, 'dist'))}`
  const own = [
    'bin/svc-server.js',
    'bin/other-node.js',
    'dist/server.js',
    'dist/svc-server.js',
    'package.json',
    'LICENSE',
  ]
  return [
    ...own,
    ...filesIn(build).filter((file) => !file.endsWith('.map')),
    ...productionPackages().flatMap((path) => packageFiles(path, architecture)),
  ].toSorted()
}

/** Optional packages are Node itself, which the base has. */
function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const needed = ([path, { dev, optional, devOptional }]: [string, Lock['packages'][string]]) =>
    path !== '' && !dev && !optional && !devOptional
  return Object.entries(lock.packages)
    .filter(needed)
    .map(([path]) => path)
}

/** Packages inside a package are listed by themselves. */
function packageFiles(path: string, architecture: string): string[] {
  const cpu = NODE_ARCHITECTURES[architecture]
  if (cpu === undefined) throw new Error(`no processor of Node is called ${architecture}`)
  return filesIn(path).filter(
    (file) => !file.slice(path.length).includes('/node_modules/') && isRuntimeFile(file, { system: 'linux', cpu }),
  )
}

function filesIn(folder: string): string[] {
  const entries = globSync('**/*', { cwd: join(root, folder), withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}
