import { globSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type InlineConfig } from 'vite'
import { CHUNKS } from './console-chunks.ts'
import { limitsOfForms } from './console-limits.ts'
import { operationsOfPages } from './strip-operations.ts'

const root = join(import.meta.dirname, '..')

const CONFIG: InlineConfig = {
  configFile: false,
  logLevel: 'warn',
  // React has the store itself; the package is for older versions of it.
  resolve: { alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' } },
  plugins: [operationsOfPages, limitsOfForms],
  build: {
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy refuses `data:` addresses, so even small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A test limits what the first page loads, compressed.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: { codeSplitting: { groups: CHUNKS, includeDependenciesRecursively: false } },
      // Packages mark files for frameworks that render on servers. It means nothing here.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
    },
  },
}

/** The best compression takes as long as the rest of the build and makes files 8 % smaller than the quick one. */
type Compression = 'best' | 'quick'
const BROTLI_QUALITY: Record<Compression, number> = { best: 11, quick: 5 }

/** Builds the page in `source`. The folder `target` is renamed into place last: a folder that is there is complete. */
export async function buildPage(source: string, target: string, compression: Compression = 'best'): Promise<void> {
  const unfinished = `${target}.part`
  await build({ ...CONFIG, root: source, build: { ...CONFIG.build, outDir: unfinished } })
  const files = globSync('**/*.{html,js,css,svg}', { cwd: unfinished })
  await Promise.all(files.map((file) => compress(join(unfinished, file), compression)))
  await rm(target, { recursive: true, force: true })
  await rename(unfinished, target)
}

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Writes `file.br` and `file.gz`, so that the server compresses nothing while it answers. */
async function compress(file: string, compression: Compression): Promise<void> {
  const bytes = await readFile(file)
  const quality = BROTLI_QUALITY[compression]
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  await writeFile(`${file}.br`, await toBrotli(bytes, { params }))
  await writeFile(`${file}.gz`, await toGzip(bytes, { level: 9 }))
}

// The console of `npm start`, in a checkout. A release has its own in the folder of its build.
if (import.meta.main) await buildPage(join(root, 'src', 'console'), join(root, 'dist', 'console'), 'quick')
