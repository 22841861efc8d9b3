import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { bundledServer } from '../../../scripts/server-bundle.ts'
import type { Environment } from '../../../src/server/config/reader.ts'
import { SERVICE_NAMES, type ServiceName } from '../../../src/server/config/service-table.ts'
import { until } from '../until.ts'
import { programEnvironment } from './program-environment.ts'

export type ServerProcess = AsyncDisposable & { child: ChildProcess; url: string; output: string[] }

let bundle: Promise<string> | undefined

/** Returns the file of the server that `npm start` runs. The files of its threads and child processes are beside it. */
function serverFile(): Promise<string> {
  bundle ??= bundledServer()
  return bundle
}

/**
 * Starts a server process, by default the file that `npm start` runs, which loads faster than a thousand sources.
 * Resolves when it prints that it is ready; rejects with its output when it ends before that. `cwd` is the folder it runs
 * in, this one by default.
 */
export async function startProcess(
  env: Environment,
  command?: readonly string[],
  cwd?: string,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, command ?? [await serverFile()], {
    env: { ...programEnvironment, ...env },
    ...(cwd !== undefined && { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => output.push(line))
  const lines = createInterface({ input: child.stdout })
  const ready = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      output.push(line)
      const url = /^svc ready at (\S+)$/.exec(line)?.[1]
      if (url) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready:\n${output.join('\n')}`)))
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  try {
    return { child, url: await ready, output, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Resolves when readiness answers 200. On a busy machine the first answers after a start can come too late for it. */
export async function untilReady({ url }: Pick<ServerProcess, 'url'>): Promise<void> {
  const headers = { connection: 'close' }
  await until(async () => (await fetch(`${url}/readyz`, { headers })).status === 200)
}

/** Resolves when the example of a first start can be asked. */
export async function untilExample({ output }: Pick<ServerProcess, 'output'>): Promise<void> {
  await until(() => output.includes('the example data source is ready'))
}

const URL_VARIABLES: Partial<Record<ServiceName, string>> = {
  'api-gateway': 'API_GATEWAY_URL',
  'auth-service': 'AUTH_SERVICE_URL',
  'deploy-api': 'DEPLOY_API_URL',
  'mcp-server': 'MCP_SERVER_URL',
  worker: 'WORKER_URL',
}

/** Starts five processes that reach each other through relays, because a port is known only once it is open. */
export async function startProcesses(env: Environment, stack: AsyncDisposableStack, logs: string[]) {
  const relays = await Promise.all(SERVICE_NAMES.map(async (name) => [name, await openRelay(stack)] as const))
  const addresses = relays.flatMap(([name, relay]) => (URL_VARIABLES[name] ? [[URL_VARIABLES[name], relay.url]] : []))
  const urls = Object.fromEntries(addresses) as Environment
  const seen = { SVC_REDIRECT_BASE_URL: urls.API_GATEWAY_URL }
  for (const [name, relay] of relays) {
    const running = stack.use(await startProcess({ ...seen, ...env, ...urls, SVC_SERVICES: name }))
    relay.to(Number(new URL(running.url).port))
    stack.defer(() => void logs.push(...running.output))
  }
  return Object.fromEntries(relays.map(([name, relay]) => [name, relay.url])) as Record<ServiceName, string>
}

async function openRelay(stack: AsyncDisposableStack) {
  let target = 0
  const server = createServer((socket) => {
    const peer = connect(target, '127.0.0.1')
    socket.on('error', () => peer.destroy()).on('close', () => peer.destroy())
    peer.on('error', () => socket.destroy()).on('close', () => socket.destroySoon())
    socket.pipe(peer).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => void server.close())
  const { port } = server.address() as AddressInfo
  const to = (next: number) => {
    target = next
  }
  return { url: `http://127.0.0.1:${port}`, to }
}
