import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { skillsDefine } from './build-skills.ts'

const root = join(import.meta.dirname, '..')

/** One file that needs nothing beside it, for every Node that `bin/svc.js` lets through. */
export async function buildCli(common: BuildOptions): Promise<void> {
  await build({
    ...common,
    target: 'node22',
    // Compiled code of CommonJS is kept between runs at less cost than that of modules: 14 ms of CPU for this file.
    format: 'cjs',
    minify: true,
    sourcemap: false,
    // Skills are inside; the folder of a checkout that it names is never looked at.
    logOverride: { 'empty-import-meta': 'silent' },
    legalComments: 'inline',
    define: { ...common.define, ...(await skillsDefine()) },
    plugins: [oneLanguage],
    entryPoints: ['src/cli/main.ts'],
    outfile: 'dist/cli.cjs',
  })
}

/** The client as a package of its own: `npm pack dist/client` makes the file to install it from. */
export async function packClient(): Promise<void> {
  const folder = join(root, 'dist', 'client')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const file of ['bin/svc.js', 'dist/cli.cjs', 'LICENSE']) await cp(join(root, file), join(folder, file))
  await cp(join(root, 'docs', 'cli.md'), join(folder, 'README.md'))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(clientPackage(), null, 2)}\n`)
}

function clientPackage() {
  const { name, version, license } = packageJson
  const bin = { svc: packageJson.bin.svc }
  const description = 'The command-line client of svc'
  return { name, version, description, license, type: 'module', engines: { node: '>=22.18' }, bin }
}

/** zod carries its messages in fifty languages, half of all bytes; ours are in one. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}
