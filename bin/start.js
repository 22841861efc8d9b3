#!/usr/bin/env node
// Uses syntax that Node 12.20 can parse, so that an old Node prints a clear message instead of a syntax error.
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 23 || (major === 22 && minor >= 18) || (major === 23 && minor >= 6)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..')
  cacheCode(join(root, 'node_modules', '.cache', 'svc', 'code'))
  const start = join(root, 'scripts', 'start.ts')
  import(pathToFileURL(start).href).catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
} else {
  console.error(
    `svc cannot start: Node 24 is required, and this is Node ${process.versions.node}.\n` +
      'On Linux (x64, arm64) and Windows (x64) `npm ci` installs it. Elsewhere, install Node 24 from https://nodejs.org.',
  )
  process.exitCode = 1
}

/** Keeps compiled code and stripped types for the next start, also those of worker threads, which read the variable. */
function cacheCode(folder) {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  process.env.NODE_COMPILE_CACHE = folder
  module.enableCompileCache(folder)
}
