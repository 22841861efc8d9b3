#!/usr/bin/env node
// Old syntax on purpose (Node 12.20 reads it), so that an old Node gets words and not a syntax error.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))))
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 23 || (major === 22 && minor >= 18) || (major === 23 && minor >= 6)) {
  // A release carries `dist/` and no `src/`.
  const source = join(root, 'src', 'server', 'svc-server.ts')
  const file = existsSync(source) ? source : join(root, 'dist', 'svc-server.js')
  import(pathToFileURL(file).href).catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
} else {
  console.error(
    `svc-server: this is Node ${process.versions.node}, and Node 24 is needed.\n` +
      'On Linux (x64, arm64) and Windows (x64) `npm ci` brings it along, and `npx svc-server` finds it; elsewhere install Node 24 from https://nodejs.org.',
  )
  process.exitCode = 1
}
