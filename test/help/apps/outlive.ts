import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request as send } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { createApp } from '#contract/apps/apps.ts'
import { readDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import { bundledServer } from '../../../scripts/server-bundle.ts'
import { namesLivingProcess } from '../../../src/lib/processes/former-process.ts'
import { restartServer } from '../../../src/server/commands/restart.ts'
import type { Environment } from '../../../src/server/config/reader.ts'
import { appPortOf } from '../door/app-port.ts'
import { freePort } from '../free-port.ts'
import { type ServerProcess, startProcess } from '../programs/processes.ts'
import { testEnvironment } from '../system.ts'
import { until, untilDone } from '../until.ts'

/** Answers with an id of its own, writes the path of each visit to the log, and sends a frame to each WebSocket again and again. */
const APP = `
  const { createHash, randomUUID } = require('node:crypto')
  const own = randomUUID()
  const server = require('node:http').createServer((request, response) => {
    if (request.url.startsWith('/visit-')) console.log(request.url)
    response.end(own)
  })
  server.on('upgrade', (request, socket) => {
    const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
    const accept = createHash('sha1').update(key).digest('base64')
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n' +
      'Sec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n')
    const timer = setInterval(() => socket.write(Buffer.from([0x81, 2, 0x75, 0x70])), 200)
    socket.on('error', () => {}).on('close', () => clearInterval(timer))
  })
  server.listen(Number(process.env.PORT), '127.0.0.1')`

const APPS = ['one', 'two']
const ENDS = ['kill', 'restart', 'upgrade'] as const
type End = (typeof ENDS)[number]

type Options = { readonly ends: number; readonly requestsPerSecond: number; readonly sockets: number }

/** The counts of one proof. All but `answered`, `frames`, `lines` and `missingLines` must be 0. */
type Report = {
  answered: number
  /** Instances of apps that were started anew. */
  newInstances: number
  newKeepers: number
  /** Upgrades after which the keeper still ran the former program. */
  missedUpgrades: number
  failed: string[]
  closedSockets: number
  silentSockets: number
  frames: number
  lines: number
  /** Lines that are not in the log. A server that is away for long leaves some, and has to count them. */
  missingLines: number
  /** Lines that are missing but not counted, or counted but not missing. */
  miscountedLines: number
  doubledLines: number
}

/**
 * Kills, restarts and upgrades the server of an embedded installation again and again, while visitors ask its apps and hold
 * WebSockets open.
 */
export async function outlive({ ends, requestsPerSecond, sockets }: Options): Promise<Report> {
  await using stack = new AsyncDisposableStack()
  const installation = await openInstallation(stack)
  const { client, hosts, port } = installation
  const visitors = new Visitors(port, hosts, requestsPerSecond)
  const keeper = installation.keeperPid()
  for (let index = 0; index < sockets; index++) await visitors.openSocket(hosts[index % hosts.length]!)
  const visiting = visitors.visit()
  let missedUpgrades = 0
  let newKeepers = 0
  for (let index = 0; index < ends; index++) {
    const how = ENDS[index % ENDS.length]!
    await installation.end(how)
    if (installation.keeperPid() !== keeper) newKeepers++
    if (how === 'upgrade' && !installation.hasNewKeeperProgram()) missedUpgrades++
  }
  visitors.stop()
  await visiting
  const counts = { newKeepers, missedUpgrades, newInstances: visitors.instances.size - hosts.length }
  return { ...(await countLines(client, hosts, visitors.answered)), ...(await visitors.report()), ...counts }
}

/** A server with two apps on an embedded data folder, run from a copy of its program that can be replaced. */
export async function openInstallation(stack: AsyncDisposableStack) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-outlive-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const program = copyProgram(await bundledServer())
  stack.defer(() => rmSync(dirname(program), { recursive: true, force: true }))
  const env = {
    ...testEnvironment(undefined, dataDir),
    SVC_EXAMPLE: 'false',
    SVC_ALLOW_PROCESS_DEPLOYS: 'true',
    PORT: String(await freePort()),
    SVC_APPS_PORT: String(await freePort()),
  }
  let server = await startProcess(env, [program])
  stack.defer(() => server[Symbol.asyncDispose]())
  const client = await developer(server, env)
  const hosts: string[] = []
  for (const alias of APPS) hosts.push(await deploy(client, alias))
  const port = await appPortOf(server.url, hosts[0]!)
  const keeperProgram = join(dirname(program), 'keeper-child.js')
  let releases = 0
  const keeperPid = () =>
    (JSON.parse(readFileSync(join(dataDir, 'keeper', 'lock.json'), 'utf8')) as { pid: number }).pid
  /** The process behind the port of apps. A door that svc tries recorded answers with has another one. */
  const doorPid = () =>
    until(() => {
      const file = join(dataDir, `app-door-${port}.pid`)
      return namesLivingProcess(file) && Number(readFileSync(file, 'utf8').split(' ')[0])
    })
  const end = async (how: End) => {
    if (how === 'upgrade') appendFileSync(keeperProgram, `// release ${++releases}\n`)
    // A server answers requests before it can be restarted.
    if (how !== 'kill') await untilDone(() => restartServer(env, () => {}))
    else {
      const gone = once(server.child, 'exit')
      server.child.kill('SIGKILL')
      await gone
      server = await startProcess(env, [program])
    }
    await until(() => {
      if (server.child.exitCode !== null) throw new Error(`the server ended: ${server.output.slice(-10).join('\n')}`)
      return client.call(searchLogs, { alias: 'one', limit: 1 }).catch(() => undefined)
    })
  }
  /** Whether the keeper became another program since its process was started. */
  const hasNewKeeperProgram = () => readFileSync(`/proc/${keeperPid()}/cmdline`, 'utf8').includes('goes-on')
  return { client, hosts, port, keeperPid, doorPid, hasNewKeeperProgram, end }
}

/** Copies the files of a build beside it. */
function copyProgram(file: string): string {
  const folder = mkdtempSync(`${dirname(file)}-copy-`)
  cpSync(dirname(file), folder, { recursive: true, filter: (path) => basename(path) !== 'users' })
  return join(folder, basename(file))
}

type Answer = { readonly host: string; readonly path: string }

class Visitors {
  readonly #port: number
  readonly #hosts: readonly string[]
  readonly #betweenMs: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 50 })
  readonly #sockets: { socket: Socket; frames: number; isClosed: boolean }[] = []
  readonly answered: Answer[] = []
  /** The ids of the instances that answered. */
  readonly instances = new Set<string>()
  readonly #failed: string[] = []
  #isStopped = false

  constructor(port: number, hosts: readonly string[], requestsPerSecond: number) {
    this.#port = port
    this.#hosts = hosts
    this.#betweenMs = 1000 / requestsPerSecond
  }

  async visit(): Promise<void> {
    const asked: Promise<void>[] = []
    const began = performance.now()
    for (let count = 0; !this.#isStopped; count++) {
      const host = this.#hosts[count % this.#hosts.length]!
      asked.push(this.#ask(host, `/visit-${count}`))
      const wait = began + count * this.#betweenMs - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    }
    await Promise.all(asked)
  }

  stop(): void {
    this.#isStopped = true
  }

  async openSocket(host: string): Promise<void> {
    const key = Buffer.alloc(16).toString('base64')
    const headers = {
      host,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': key,
      'sec-websocket-version': '13',
    }
    const asked = send({ host: '127.0.0.1', port: this.#port, path: '/socket', headers, agent: false }).end()
    const [, socket] = (await once(asked, 'upgrade')) as [unknown, Socket]
    const entry = { socket, frames: 0, isClosed: false }
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      entry.frames += bytes.length / 4
    })
    socket.once('close', () => {
      entry.isClosed = true
    })
    this.#sockets.push(entry)
  }

  async report() {
    const before = this.#sockets.map(({ frames }) => frames)
    await until(() => this.#sockets.every(({ frames, isClosed }, index) => isClosed || frames > before[index]!)).catch(
      () => {},
    )
    const silentSockets = this.#sockets.filter(({ frames }, index) => frames <= before[index]!).length
    const closedSockets = this.#sockets.filter(({ isClosed }) => isClosed).length
    const frames = this.#sockets.reduce((sum, each) => sum + each.frames, 0)
    for (const { socket } of this.#sockets) socket.destroy()
    this.#agent.destroy()
    return { answered: this.answered.length, failed: this.#failed, closedSockets, silentSockets, frames }
  }

  #ask(host: string, path: string): Promise<void> {
    return new Promise((resolve) => {
      const fail = (why: string) => {
        this.#failed.push(`${path}: ${why}`)
        resolve()
      }
      const asked = send(
        { host: '127.0.0.1', port: this.#port, path, headers: { host }, agent: this.#agent },
        (response) => {
          text(response).then(
            (body) => {
              if (response.statusCode !== 200) return fail(String(response.statusCode))
              this.instances.add(body)
              this.answered.push({ host, path })
              resolve()
            },
            () => fail('the answer broke off'),
          )
        },
      )
      asked.once('error', (error) => fail(error.message)).end()
    })
  }
}

/** Compares the paths that visitors asked for with those in the logs. */
async function countLines(client: Client, hosts: readonly string[], answered: readonly Answer[]) {
  const logged: string[] = []
  let counted = 0
  for (const [index, alias] of APPS.entries()) {
    const last = answered.findLast(({ host }) => host === hosts[index])?.path
    // The newest lines wait for others before they are stored.
    await until(async () => {
      const { items } = await client.call(searchLogs, { alias, limit: 100 })
      return last === undefined || items.some((line) => line.text === last)
    })
    let droppedOfApp = 0
    for (let cursor: string | undefined; ; ) {
      const page = await client.call(searchLogs, { alias, limit: 100, ...(cursor && { cursor }) })
      logged.push(...page.items.map((line) => line.text).filter((path) => path.startsWith('/visit-')))
      droppedOfApp = page.dropped
      if (!page.next_cursor) break
      cursor = page.next_cursor
    }
    counted += droppedOfApp
  }
  const distinct = new Set(logged)
  const missingLines = answered.filter(({ path }) => !distinct.has(path)).length
  return {
    lines: logged.length,
    doubledLines: logged.length - distinct.size,
    missingLines,
    miscountedLines: Math.abs(counted - missingLines),
  }
}

async function developer({ url }: ServerProcess, env: Environment): Promise<Client> {
  const headers = () => ({ authorization: `Bearer ${env.SVC_OPERATOR_TOKEN}` })
  const operator = createClient({ baseUrl: url, fetch, headers })
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Shops' })
  const asked = { org_id, email: 'dev@example.com', role: 'developer' as const, name: 'test' }
  const { token } = await operator.call(adminCreateToken, asked)
  return createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
}

async function deploy(client: Client, alias: string): Promise<string> {
  const { url } = await client.call(createApp, { alias, settings: { start_command: 'node server.cjs' } })
  const tar = pack()
  tar.entry({ name: 'server.cjs' }, APP)
  tar.finalize()
  const { id: revision_id } = await client.upload(uploadRevision, { alias }, tar)
  const { id: deploy_id } = await client.call(startDeploy, { alias, revision_id })
  await until(async () => (await client.call(readDeploy, { alias, deploy_id })).state === 'live')
  return new URL(url!).hostname
}
