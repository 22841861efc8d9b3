import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { expect, it } from 'vitest'

it('OP-01 hardly a package is loaded before the embedded engine starts', async () => {
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm', splitting: true } as const
  const { metafile } = await build({
    ...options,
    absWorkingDir: join(import.meta.dirname, '..'),
    entryPoints: ['src/server/main.ts'],
    outdir: 'unwritten',
    write: false,
    metafile: true,
  })
  // The settings are checked with them.
  expect(packagesOf(metafile, 'src/server/main.ts')).toEqual(['ipaddr.js', 'zod'])
})

/** Lists the packages that are imported together with an entry, without those that it imports on demand. */
function packagesOf({ inputs }: Metafile, entry: string): string[] {
  const packages = new Set<string>()
  const files = new Set([entry])
  for (const file of files) {
    for (const { path, kind, external } of inputs[file]!.imports) {
      if (kind !== 'import-statement' || path.startsWith('node:')) continue
      if (external) packages.add(path)
      else files.add(path)
    }
  }
  return [...packages].toSorted()
}
