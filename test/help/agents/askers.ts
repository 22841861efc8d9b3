import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'svc.js')
const run = promisify(execFile)

type Cli = AsyncDisposable & {
  run(...args: string[]): Promise<{ exit: number; stdout: string; stderr: string }>
  /** Environment for processes that call `svc` themselves. */
  env: NodeJS.ProcessEnv
}

/** Logs the command-line client in, with its own configuration folder. */
export async function openCli(url: string, token: string): Promise<Cli> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  const env = { PATH: process.env.PATH, SVC_CONFIG_DIR: folder }
  const svc: Cli['run'] = async (...args) => {
    try {
      return { exit: 0, ...(await run(process.execPath, [BIN, ...args], { env })) }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { exit: code, stdout, stderr }
    }
  }
  const { exit, stderr } = await svc('login', '--api-url', url, '--api-key', token)
  if (exit !== 0) throw new Error(stderr)
  return { run: svc, env, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }) }
}

/** Connects an agent's MCP client to the platform's tools. */
export async function openAgent(url: string, token: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '0' })
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/platform`), { requestInit: { headers } }))
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

/** Sends a question over plain HTTP with any body, and accepts JSON. */
export function askHttp(url: string, token: string, body: unknown, id = 'db_docs', signal?: AbortSignal) {
  return fetch(`${url}/api/wf/slim/data-sources/${id}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })
}
