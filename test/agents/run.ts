import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AGENTS } from './agents.ts'
import type { Outcome } from './inside.ts'
import { type AgentName, type Pinned, VERSIONS } from './versions.ts'

/**
 * `npm run test:agents [name …]` connects real agents to svc by the steps of docs/connect-an-agent.md and lets each ask
 * the example through a scripted model. Needs Linux, root, the package registry, and unshare, ip, script and openssl.
 */
const run = promisify(execFile)
const chosen = process.argv.slice(2).map((name) => name.toLowerCase())
const names = (Object.keys(AGENTS) as AgentName[]).filter(
  (name) => chosen.length === 0 || chosen.some((part) => name.toLowerCase().includes(part)),
)
const folder = mkdtempSync(join(tmpdir(), 'svc-agents-'))
try {
  const outcomes = await tryAgents()
  console.table(outcomes.map(rowOf))
  if (outcomes.length === 0 || outcomes.some(({ answered }) => !answered)) process.exitCode = 1
} finally {
  if (process.env.SVC_AGENTS_FOLDER !== 'keep') rmSync(folder, { recursive: true, force: true })
}

async function tryAgents(): Promise<Outcome[]> {
  const installed: Partial<Record<AgentName, string>> = {}
  const failed: Outcome[] = []
  for (const name of names) {
    try {
      console.log(`installing ${name} ${VERSIONS[name].version} …`)
      installed[name] = await install(VERSIONS[name])
    } catch (error) {
      const reason = `not installed: ${String(error).slice(0, 300)}`
      for (const way of ['oauth', 'bearer'] as const)
        failed.push({ agent: name, way, connected: false, answered: false, seconds: 0, reason })
    }
  }
  console.log('running the agents …')
  const separate = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child']
  const inside = [process.execPath, join(import.meta.dirname, 'inside.ts'), folder, JSON.stringify(installed)]
  const child = spawn('unshare', [...separate, ...inside], { stdio: ['ignore', 'inherit', 'inherit'] })
  await once(child, 'exit')
  const file = join(folder, 'outcomes.json')
  return [...(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Outcome[]) : []), ...failed]
}

/** Installs an agent in a folder of its own and returns the folder with its command. */
async function install({ package: name, version, program }: Pinned): Promise<string> {
  const own = join(folder, 'installed', name.replaceAll('/', '-'))
  mkdirSync(join(own, 'bin'), { recursive: true })
  const options = ['--prefix', own, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
  await run('npm', ['install', ...options, `${name}@${version}`])
  symlinkSync(join(own, 'node_modules', name, program), join(own, 'bin', commandOf(name)))
  return join(own, 'bin')
}

/** `@openai/codex` has the command `codex`, and `opencode-linux-arm64` the command `opencode`. */
function commandOf(name: string): string {
  return name.replace(/^@[^/]+\//, '').replace(/(-code|-cli|-linux-).*$/, '')
}

function rowOf({ agent, way, connected, answered, seconds, reason }: Outcome) {
  const row = { agent, version: VERSIONS[agent].version, way, connected, answered, seconds: Math.round(seconds) }
  return { ...row, reason }
}
