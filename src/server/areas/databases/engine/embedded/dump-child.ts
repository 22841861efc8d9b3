import { writeSync } from 'node:fs'
import type * as Pglite from '@electric-sql/pglite'
import type * as Pgvector from '@electric-sql/pglite-pgvector'
import type * as Tools from '@electric-sql/pglite-tools'

/**
 * The process that dumps a copy of an embedded database. It writes SQL to its standard output and exits with 0 when that
 * is complete. Writes block, so a slow reader holds it back.
 *
 * The packages are loaded by path, because under Node's permission model this process can read nothing else.
 */
const [, , folder, pglitePath, pgvectorPath, toolsPath] = process.argv as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const { PGlite } = (await import(pglitePath)) as typeof Pglite
const { vector } = (await import(pgvectorPath)) as typeof Pgvector
const { pgDump } = (await import(toolsPath)) as typeof Tools

// The package removes every line that begins with \restrict, also one inside a value. The dump is used as it is.
const replace = RegExp.prototype[Symbol.replace]
function replaceOther(this: RegExp, text: string, replacer: () => string): string {
  return this.source.includes('restrict') ? text : replace.call(this, text, replacer)
}
Reflect.set(RegExp.prototype, Symbol.replace, replaceOther)

const database = await PGlite.create({
  dataDir: folder,
  extensions: { vector },
  startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'],
})
const dump = await pgDump({ pg: database, args: ['--no-owner', '--no-privileges'] })
for await (const bytes of dump.stream()) {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at, bytes.length - at)
}
process.exit(0)
