import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { oneLanguage } from './one-language.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'src', 'console')
const target = join(root, 'dist', 'console')

const OPTIONS: BuildOptions = {
  absWorkingDir: source,
  entryPoints: ['main.tsx', 'styles.css', 'icon.svg'],
  entryNames: '[name]-[hash]',
  outdir: join(target, 'assets'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  loader: { '.svg': 'copy' },
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  plugins: [oneLanguage],
  logLevel: 'warning',
}

/** Builds the page of the console to `dist/console`. `index.html` is written last: a page that is there is complete. */
export async function buildConsole(): Promise<void> {
  await rm(target, { recursive: true, force: true })
  const { metafile } = await build({ ...OPTIONS, metafile: true })
  let page = await readFile(join(source, 'index.html'), 'utf8')
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint) page = page.replace(`"./${entryPoint}"`, `"/assets/${basename(path)}"`)
  }
  if (page.includes('"./')) throw new Error('index.html names a file that was not built')
  await writeFile(join(target, 'index.html'), page)
}
