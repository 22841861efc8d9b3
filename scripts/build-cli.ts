import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
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
 * is `cli.cjs` in `folder`, is executable and runs alone, under any name, in a folder that has nothing else.
 */
export async function buildCli(folder: string): Promise<void> {
  const outfile = join(folder, 'cli.cjs')
  await build({
    ...CLI,
    banner: { js: '#!/usr/bin/env node' },
    define: { SVC_BUNDLED: 'true', ...(await skillsDefine()) },
    outfile,
  })
  await chmod(outfile, 0o755)
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

/** Writes the client as a package of its own to `dist/client`; `npm pack dist/client` makes its installable file. */
export async function packClient(): Promise<void> {
  const folder = join(root, 'dist', 'client')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const file of ['bin/svc.js', 'bin/other-node.js', 'dist/cli.cjs', 'LICENSE']) {
    await cp(join(root, file), join(folder, file))
  }
  await cp(join(root, 'docs', 'cli.md'), join(folder, 'README.md'))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(clientPackage(), null, 2)}\n`)
}

function clientPackage() {
  const { name, version, license } = packageJson
  const bin = { svc: packageJson.bin.svc }
  const description = 'The command-line client of svc'
  return { name, version, description, license, type: 'module', engines: { node: '>=22.18' }, bin }
}
