#!/usr/bin/env node
// Uses syntax that Node 12.20 can parse, so that an old Node prints a clear message instead of a syntax error.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = realpathSync(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 23 || (major === 22 && minor >= 18) || (major === 23 && minor >= 6)) {
  import(pathToFileURL(findProgram()).href).catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
} else {
  import('./other-node.js').then((other) => other.runElsewhere(here, root, fail)).catch(fail)
}

/** `start` is the server itself, and everything else the program for its maintenance. A release has no `src/`. */
function findProgram() {
  const isStart = process.argv.length === 3 && process.argv[2] === 'start'
  const source = join(root, 'src', 'server', isStart ? 'main.ts' : 'svc-server.ts')
  return existsSync(source) ? source : join(root, 'dist', isStart ? 'server.js' : 'svc-server.js')
}

function fail(error) {
  console.error(`svc-server: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
