#!/usr/bin/env node
// Uses syntax that Node 12.20 can parse, so that an old Node prints a clear message instead of a syntax error.
import { existsSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = realpathSync(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))

const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 23 || (major === 22 && minor >= 18) || (major === 23 && minor >= 6)) {
  if (typeof module.enableCompileCache === 'function') module.enableCompileCache()
  start()
} else {
  // Loaded here and not above: it costs every start milliseconds, and hardly one needs it.
  import('./other-node.js').then((other) => other.runElsewhere(here, root, fail)).catch(fail)
}

/** A release carries `dist/` and no `src/`. */
function start() {
  const source = join(root, 'src', 'cli', 'main.ts')
  if (existsSync(source)) import(pathToFileURL(source).href).catch(fail)
  else module.createRequire(here)(join(root, 'dist', 'cli.cjs'))
}

function fail(error) {
  console.error(`svc: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
