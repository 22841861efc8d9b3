#!/usr/bin/env node
// Old syntax on purpose (Node 12.20 reads it), so that an old Node gets words and not a syntax error.
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 23 || (major === 22 && minor >= 18) || (major === 23 && minor >= 6)) {
  const start = join(dirname(fileURLToPath(import.meta.url)), '..', 'scripts', 'start.ts')
  import(pathToFileURL(start).href).catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
} else {
  console.error(
    `svc cannot start: this is Node ${process.versions.node}, and Node 24 is needed.\n` +
      'On Linux (x64, arm64) and Windows (x64) `npm ci` brings it along; elsewhere install Node 24 from https://nodejs.org.',
  )
  process.exitCode = 1
}
