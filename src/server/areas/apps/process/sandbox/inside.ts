/**
 * Runs as the parent of an app or a build, inside its sandbox. It has no imports but Node's, because only this file is
 * visible there. Standard input carries one JSON object a line: what to open, then what to run, then `stop`. When it
 * ends, svc is gone and so is the app. Descriptor 5 carries back what happened. Nothing here is trusted by svc: the app
 * has the same user and can act as this script.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** Requests come through the socket and go to the port. Port 0: a free one is chosen. */
type Requests = { socket: string; port: number }
/**
 * Connections to the port go through the socket; with `tunnel`, to that host and port behind the proxy there. Without a
 * socket they are refused and reported.
 */
type Outgoing = { port: number; socket: string | null; tunnel?: string }
type Open = { open: { requests?: Requests; outgoing: Outgoing[] } }
type Run = { run: { command: string; environment: Record<string, string>; folder: string } }
export type InsideMessage = Open | Run | { stop: true }
/** Messages to svc, one JSON object a line. */
type InsideStatus =
  | { ready: true }
  | { failed: string }
  | { network: true }
  | { exit: { code: number | null; signal: string | null } }

const STATUS = 5
let app: ChildProcess | undefined
let port = 0

function report(status: InsideStatus): void {
  writeSync(STATUS, `${JSON.stringify(status)}\n`)
}

function fail(error: unknown): never {
  report({ failed: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}

async function listen(server: Server, where: { path: string } | { port: number; host: string }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(where, resolve)
  })
  server.on('error', () => {})
}

async function freePort(): Promise<number> {
  const server = createServer()
  await listen(server, { port: 0, host: '127.0.0.1' })
  const { port: free } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return free
}

function join(one: Socket, other: Socket): void {
  one.on('error', () => other.destroy()).on('close', () => other.destroySoon())
  other.on('error', () => one.destroy()).on('close', () => one.destroySoon())
  one.pipe(other).pipe(one)
}

/** Sends one byte as soon as the app has accepted the connection, so that svc knows whether it saw anything. */
function toApp(client: Socket): void {
  client.on('error', () => {})
  const target = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  target.once('error', () => client.destroy())
  target.once('connect', () => {
    client.write('+')
    join(client, target)
  })
}

function toOutside({ socket, tunnel }: Outgoing, client: Socket): void {
  client.on('error', () => {})
  if (socket === null) {
    refuse(client)
    return
  }
  const target = connect({ path: socket, allowHalfOpen: true })
  target.once('error', () => client.destroy())
  if (tunnel === undefined) {
    join(client, target)
    return
  }
  target.write(`CONNECT ${tunnel} HTTP/1.1\r\nHost: ${tunnel}\r\n\r\n`)
  let head = ''
  const onData = (bytes: Buffer) => {
    head += bytes.toString('latin1')
    const end = head.indexOf('\r\n\r\n')
    if (end === -1 && head.length < 4096) return
    target.off('data', onData).pause()
    if (!head.startsWith('HTTP/1.1 200 ')) return client.destroy()
    target.unshift(Buffer.from(head.slice(end + 4), 'latin1'))
    join(client, target)
  }
  target.on('data', onData)
}

function refuse(client: Socket): void {
  report({ network: true })
  client.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
}

async function open({ requests, outgoing }: Open['open']): Promise<void> {
  const server = (onConnection: (client: Socket) => void) => createServer({ allowHalfOpen: true }, onConnection)
  for (const each of outgoing) {
    await listen(
      server((client) => toOutside(each, client)),
      { port: each.port, host: '127.0.0.1' },
    )
  }
  if (requests) {
    port = requests.port || (await freePort())
    await listen(server(toApp), { path: requests.socket })
  }
  report({ ready: true })
}

function run({ command, environment, folder }: Run['run']): void {
  const env = port === 0 ? environment : { ...environment, PORT: String(port) }
  // A group of its own, so that a signal reaches everything it started and not this script.
  app = spawn('/bin/sh', ['-c', command], { cwd: folder, env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
  app.once('error', fail)
  app.once('exit', (code, signal) => {
    report({ exit: { code, signal } })
    signalApp('SIGKILL')
    process.exit(0)
  })
}

/** A command or variable that no process can have, such as one with a zero byte, throws at once. */
function tryRun(what: Run['run']): void {
  try {
    run(what)
  } catch (error) {
    fail(error)
  }
}

function signalApp(signal: NodeJS.Signals): void {
  try {
    if (app?.pid !== undefined) process.kill(-app.pid, signal)
  } catch {
    // It has ended.
  }
}

function receive(line: string): void {
  const message = JSON.parse(line) as InsideMessage
  if ('open' in message) open(message.open).catch(fail)
  else if ('run' in message) tryRun(message.run)
  else if (app === undefined) process.exit(0)
  else signalApp('SIGTERM')
}

createInterface({ input: process.stdin })
  .on('line', receive)
  .on('close', () => {
    signalApp('SIGKILL')
    process.exit(1)
  })
