import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { SDK_VERSION } from '../src/worker-sdk/index.ts'
import { oneLanguage } from './one-language.ts'

const root = join(import.meta.dirname, '..')

/**
 * Writes the worker SDK as a package of its own: one file without dependencies, and its types. `npm pack` of the folder
 * makes its installable file.
 */
export async function packSdk(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'index.js'), await bundleSdk())
  await writeFile(join(folder, 'index.d.ts'), await declarations())
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`)
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await cp(join(root, 'docs', 'functions.md'), join(folder, 'README.md'))
}

/** Returns the SDK as the source of one module without imports of packages. The same sources give the same text. */
export async function bundleSdk(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/worker-sdk/index.ts'],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    minify: true,
    legalComments: 'inline',
    logLevel: 'warning',
    plugins: [oneLanguage],
  })
  return outputFiles[0]!.text
}

const PACKAGE = {
  name: '@svc-instance/worker-sdk',
  version: SDK_VERSION,
  description: 'Serves functions and pipelines of an app on svc',
  license: 'Apache-2.0',
  // No registry has it, so that nothing there can be taken for it.
  private: true,
  type: 'module',
  engines: { node: '>=22' },
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
}

/** `api.ts` has types only and imports nothing, so it is its own declaration file. */
async function declarations(): Promise<string> {
  const types = await readFile(join(root, 'src', 'worker-sdk', 'api.ts'), 'utf8')
  const values = 'export declare const createWorker: CreateWorker\nexport declare const SDK_VERSION: string\n'
  return `${types}\n${values}`
}
