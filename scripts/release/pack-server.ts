import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { currentBuild } from '../build-folder.ts'

type Lock = { packages: Record<string, { dev?: boolean }> } & Record<string, unknown>

const root = join(import.meta.dirname, '..', '..')
const dist = join(root, 'dist')

/**
 * Writes the server as a package of its own and returns its folder. Its shrinkwrap has the versions of our lock file, so
 * that `npm ci` in its unpacked folder installs what was tested. `npm install` of the file would not: npm reads the
 * shrinkwrap of a package that it installs only if the package comes from a registry.
 */
export async function packServer(folder: string): Promise<string> {
  const build = currentBuild(dist)
  if (build === undefined) throw new Error('there is no build')
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'dist', 'builds'), { recursive: true })
  for (const path of FILES) {
    await cp(join(root, path), join(folder, path))
  }
  await cp(join(dist, 'builds', build), join(folder, 'dist', 'builds', build), { recursive: true })
  await cp(join(root, 'docs', 'running.md'), join(folder, 'README.md'))
  await writeJson(join(folder, 'package.json'), SERVER_PACKAGE)
  await writeJson(join(folder, 'npm-shrinkwrap.json'), await shrinkwrap())
  return folder
}

const FILES = [
  'bin/svc-server.js',
  'bin/other-node.js',
  'dist/server.js',
  'dist/svc-server.js',
  'ops/alerts.yaml',
  'ops/grafana-dashboard.json',
  'ops/systemd/svc-keeper.service',
  'ops/systemd/svc.service',
  'ops/systemd/svc.env',
  'LICENSE',
  'CHANGELOG.md',
]

const { version, description, license, dependencies, optionalDependencies } = packageJson
const SERVER_PACKAGE = {
  name: '@svc-instance/server',
  version,
  description,
  license,
  // No registry has it, so that nothing there can be taken for it.
  private: true,
  type: 'module',
  engines: packageJson.engines,
  bin: { 'svc-server': packageJson.bin['svc-server'] },
  dependencies,
  optionalDependencies,
  // Without them `npm ci` would refuse the shrinkwrap.
  overrides: packageJson.overrides,
}

async function shrinkwrap(): Promise<object> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock
  const production = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev)
  return { ...lock, name: SERVER_PACKAGE.name, packages: { '': SERVER_PACKAGE, ...Object.fromEntries(production) } }
}

function writeJson(file: string, value: object): Promise<void> {
  return writeFile(file, `${JSON.stringify(value, null, 2)}\n`)
}
