import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { packTarGz } from '../src/lib/files/tar-gz.ts'
import { skillsDefine } from './build-skills.ts'
import { oneLanguage } from './one-language.ts'

const root = join(import.meta.dirname, '..')

const CLI: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22',
  // Node caches compiled CommonJS more cheaply than ES modules: this saves 14 ms of CPU for this file.
  format: 'cjs',
  minify: true,
  // The skills are bundled, so the source folder that `import.meta` would name is never read.
  logOverride: { 'empty-import-meta': 'silent' },
  logLevel: 'warning',
  legalComments: 'inline',
  plugins: [oneLanguage],
  entryPoints: ['src/cli/main.ts'],
}

/**
 * Bundles the client into one file without dependencies, for every version of Node that `bin/svc.js` accepts. The file
 * runs alone, under any name, in a folder that has nothing else.
 */
async function bundleCli(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    ...CLI,
    banner: { js: '#!/usr/bin/env node' },
    define: { SVC_BUNDLED: 'true', ...(await skillsDefine()) },
    write: false,
    outfile: join(root, 'dist', 'cli.cjs'),
  })
  return outputFiles[0]!.contents
}

/** Writes the client as one executable file, `cli.cjs` in `folder`. */
export async function buildCli(folder: string): Promise<void> {
  const file = join(folder, 'cli.cjs')
  await mkdir(folder, { recursive: true })
  await writeFile(file, await bundleCli())
  await chmod(file, 0o755)
}

/** Bundles the client for an executable, which has the skills as assets and can load nothing but parts of Node. */
export async function bundleForExecutable(outfile: string): Promise<void> {
  await build({
    ...CLI,
    define: { SVC_BUNDLED: 'true', SVC_EXECUTABLE: 'true' },
    supported: { 'dynamic-import': false },
    outfile,
  })
}

/**
 * Returns the client as a package that npm installs without a registry: it has no dependencies and no install scripts.
 * The same sources give the same bytes.
 */
export async function packClient(): Promise<Buffer> {
  const read = (path: string) => readFile(join(root, path))
  const manifest = Buffer.from(`${JSON.stringify(CLIENT_PACKAGE, null, 2)}\n`)
  return packTarGz([
    { path: 'package/package.json', bytes: manifest },
    { path: 'package/LICENSE', bytes: await read('LICENSE') },
    { path: 'package/README.md', bytes: await read('docs/cli.md') },
    { path: 'package/bin/other-node.js', bytes: await read('bin/other-node.js') },
    { path: 'package/bin/svc.js', bytes: await read('bin/svc.js'), mode: 0o755 },
    { path: 'package/dist/cli.cjs', bytes: Buffer.from(await bundleCli()), mode: 0o755 },
  ])
}

const { version, license } = packageJson
const CLIENT_PACKAGE = {
  name: '@svc-instance/client',
  version,
  description: 'The command-line client of svc',
  license,
  // Instances serve it. No registry has it, so that nothing there can be taken for it.
  private: true,
  type: 'module',
  engines: { node: '>=22.18' },
  bin: { svc: packageJson.bin.svc },
}
