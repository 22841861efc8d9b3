import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { install } from './install.ts'
import { type AgentName, VERSIONS } from './versions.ts'
import type { Installed } from './world.ts'

/**
 * `npm run test:agents [-- options] [name …]` runs real agents against svc. Needs Linux, root, the package registry, and
 * unshare, ip, script and openssl. Parts: `connect` follows the steps of docs/connect-an-agent.md and asks the example
 * through a scripted model, `cursor` connects as Cursor does, `faults` and `month` are described in their files.
 */
const PARTS = ['connect', 'cursor', 'faults', 'month'] as const
/** Agents whose OAuth code goes through the month. The others have the same code, or take too long to start. */
const MONTH_AGENTS: readonly AgentName[] = ['Claude Code', 'Codex', 'mcporter', 'mcp-remote']

const { values, positionals } = parseArgs({
  options: { part: { type: 'string', multiple: true }, days: { type: 'string', default: '29' } },
  allowPositionals: true,
})
const chosen = positionals.map((name) => name.toLowerCase())
const names = (Object.keys(VERSIONS) as AgentName[]).filter(
  (name) => chosen.length === 0 || chosen.some((part) => name.toLowerCase().includes(part)),
)
const folder = mkdtempSync(join(tmpdir(), 'svc-agents-'))
try {
  const installed = await installAll()
  for (const part of PARTS.filter((one) => values.part?.includes(one) ?? true)) await runPart(part, installed)
} finally {
  if (process.env.SVC_AGENTS_FOLDER !== 'keep') rmSync(folder, { recursive: true, force: true })
}

async function installAll(): Promise<Installed> {
  const installed: Installed = {}
  for (const name of names) {
    console.log(`installing ${name} ${VERSIONS[name].version} …`)
    try {
      installed[name] = await install(VERSIONS[name], folder)
    } catch (error) {
      process.exitCode = 1
      console.log(`${name} is not installed: ${String(error).slice(0, 300)}`)
    }
  }
  return installed
}

async function runPart(part: (typeof PARTS)[number], installed: Installed): Promise<void> {
  console.log(`\n${part}`)
  const ofMonth = Object.fromEntries(MONTH_AGENTS.map((name) => [name, installed[name]]))
  const agents = JSON.stringify(part === 'month' ? ofMonth : installed)
  const separate = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child']
  const program = [
    process.execPath,
    join(import.meta.dirname, `${part}.ts`),
    mkdtempSync(join(folder, 'part-')),
    agents,
  ]
  const child = spawn('unshare', [...separate, ...program, values.days], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) process.exitCode = 1
}
