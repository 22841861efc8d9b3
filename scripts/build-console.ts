import { globSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type InlineConfig, type Plugin } from 'vite'

const root = join(import.meta.dirname, '..')
const target = join(root, 'dist', 'console')
const unfinished = join(root, 'dist', 'console.part')

/** Bundles only the English messages of zod, whose fifty languages would be half of the first script. */
const oneLanguage: Plugin = {
  name: 'one-language',
  enforce: 'pre',
  load: (id) =>
    /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(id) ? "export { default as en } from './en.js'" : null,
}

const CONFIG: InlineConfig = {
  configFile: false,
  root: join(root, 'src', 'console'),
  logLevel: 'warn',
  plugins: [oneLanguage],
  build: {
    outDir: unfinished,
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy refuses `data:` addresses, so even small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A test limits what the first page loads, compressed.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Packages mark files for frameworks that render on servers. It means nothing here.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
    },
  },
}

/** Builds the console to `dist/console`. The folder is renamed into place last: a folder that is there is complete. */
export async function buildConsole(): Promise<void> {
  await build(CONFIG)
  const files = globSync('**/*.{html,js,css,svg}', { cwd: unfinished })
  await Promise.all(files.map((file) => compress(join(unfinished, file))))
  await rm(target, { recursive: true, force: true })
  await rename(unfinished, target)
}

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Writes `file.br` and `file.gz`, so that the server compresses nothing while it answers. */
async function compress(file: string): Promise<void> {
  const bytes = await readFile(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  await writeFile(`${file}.br`, await toBrotli(bytes, { params }))
  await writeFile(`${file}.gz`, await toGzip(bytes, { level: 9 }))
}

if (import.meta.main) await buildConsole()
