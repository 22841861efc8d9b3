import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '#test/free-port.ts'
import { type LoadTarget, request } from '../help/load.ts'
import { type Server, start } from '../help/processes.ts'
import type { Source } from '../help/source.ts'

/** Folder of other servers that offer a statement as a tool. Each runs the product's own statement. */
const FOLDER = join(import.meta.dirname, '../peers')
const MODULES = join(FOLDER, 'node_modules')
const TOOLBOX = join(MODULES, `@toolbox-sdk/server-${process.platform}-${process.arch}/bin/toolbox`)
const DBHUB = join(MODULES, '@bytebase/dbhub/dist/index.js')

type Peer = { name: string; start(dir: string, source: Source): Promise<Server> }

/**
 * Installs without a lock file, because Toolbox has builds for some platforms only and npm refuses a lock without them
 * all.
 */
export function installPeers(): void {
  const how = ['--no-package-lock', '--no-save', '--ignore-scripts', '--loglevel=error', '--prefix', FOLDER]
  execFileSync('npm', ['install', ...how], { stdio: ['ignore', 'ignore', 'inherit'] })
}

export const PEERS: readonly Peer[] = [
  { name: 'Toolbox', start: startToolbox },
  { name: 'DBHub', start: startDbhub },
]

/** Sends one MCP tool call per request. */
export function peerAsked(url: string, questions: readonly string[]): LoadTarget {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
  const all = questions.map((vector) => {
    const call = { name: 'search', arguments: { vector } }
    return request(url, headers, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }))
  })
  let asked = 0
  return { url, next: () => all[asked++ % all.length]! }
}

async function startToolbox(dir: string, source: Source): Promise<Server> {
  if (!existsSync(TOOLBOX)) throw new Error(`it has no build for ${process.platform}-${process.arch}`)
  const { hostname, port, pathname, username, password } = new URL(source.rawUrl)
  const file = join(dir, 'tools.yaml')
  const from = { kind: 'postgres', host: hostname, port, database: pathname.slice(1), user: username, password }
  const parameters = [{ name: 'vector', type: 'string', description: 'the vector' }]
  const search = {
    kind: 'postgres-sql',
    source: 'bench',
    description: 'Search',
    statement: statementOf(source),
    parameters,
  }
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ sources: { bench: from }, tools: { search } }))
  const own = await freePort()
  const args = ['--config', file, '--port', String(own), '--log-level', 'ERROR', '--disable-version-check']
  const server = await start(TOOLBOX, args, undefined)
  return { ...server, url: await untilAnswers(`http://127.0.0.1:${own}/mcp`) }
}

async function startDbhub(dir: string, source: Source): Promise<Server> {
  const file = join(dir, 'dbhub.toml')
  await writeFile(
    file,
    `[[sources]]
id = "bench"
dsn = ${JSON.stringify(`${source.rawUrl}?sslmode=disable`)}

[[tools]]
name = "search"
source = "bench"
description = "Search"
readonly = true
statement = ${JSON.stringify(statementOf(source))}

[[tools.parameters]]
name = "vector"
type = "string"
description = "The vector"
`,
  )
  const own = await freePort()
  const args = [DBHUB, '--transport', 'http', '--port', String(own), '--config', file]
  const server = await start(process.execPath, args, undefined, { cwd: dir })
  return { ...server, url: await untilAnswers(`http://127.0.0.1:${own}/mcp`) }
}

/** Returns the statement with every value but the vector inlined. */
export function statementOf({ statement: { text, values } }: Source): string {
  return text
    .replace(/\$(\d+)/g, (_, n: string) => values[Number(n) - 1] ?? '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Resolves with the URL once a server untilAnswers there. */
async function untilAnswers(url: string): Promise<string> {
  for (let tried = 0; ; tried++) {
    const up = await fetch(url).then(
      async (response) => {
        await response.body?.cancel()
        return true
      },
      () => false,
    )
    if (up) return url
    if (tried === 300) throw new Error('it did not start in 30 seconds')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
