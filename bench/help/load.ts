import { connect, type Socket } from 'node:net'

export type Load = { perSecond: number; p50: number; p99: number; asked: number }

/** A target of HTTP requests. `next` returns a complete request as bytes. */
export type LoadTarget = { url: string; next: () => Buffer }

/**
 * Sends requests over kept-alive connections for `seconds`. Uses plain sockets, because it shares the measured
 * processors.
 */
export async function load({ url, next }: LoadTarget, concurrency: number, seconds: number): Promise<Load> {
  const { hostname, port } = new URL(url)
  const took: number[] = []
  const started = performance.now()
  const until = started + seconds * 1000
  const client = async () => {
    const socket = await open(hostname, Number(port))
    const ask = createAsker(socket)
    while (performance.now() < until) {
      const before = performance.now()
      await ask(next())
      took.push(performance.now() - before)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  const elapsed = (performance.now() - started) / 1000
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor(took.length * share)]!
  return { perSecond: took.length / elapsed, p50: at(0.5), p99: at(0.99), asked: took.length }
}

/** One request of a steady load: when it ended and how long after its turn, in milliseconds. */
export type Turn = { at: number; ms: number }

/**
 * Sends `perSecond` requests a second until `signal` is aborted, each at its turn over one of `concurrency` connections.
 * Times begin with the turn, so that a server that falls behind is seen.
 */
export async function loadSteadily(
  { url, next }: LoadTarget,
  { concurrency, perSecond, signal }: { concurrency: number; perSecond: number; signal: AbortSignal },
  onEnd: (turn: Turn) => void,
): Promise<void> {
  const { hostname, port } = new URL(url)
  const started = performance.now()
  let turns = 0
  const client = async () => {
    const socket = await open(hostname, Number(port))
    const ask = createAsker(socket)
    while (!signal.aborted) {
      const turn = started + (turns++ * 1000) / perSecond
      const wait = turn - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      await ask(next())
      const at = performance.now()
      onEnd({ at, ms: at - turn })
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: concurrency }, client))
}

/** Sends `count` requests one after another and returns how long each took, in milliseconds. */
export async function askInTurn({ url, next }: LoadTarget, count: number): Promise<number[]> {
  const { hostname, port } = new URL(url)
  const socket = await open(hostname, Number(port))
  const ask = createAsker(socket)
  const took: number[] = []
  try {
    while (took.length < count) {
      const before = performance.now()
      await ask(next())
      took.push(performance.now() - before)
    }
    return took
  } finally {
    socket.destroy()
  }
}

/** Returns the complete response to one request, for checking it. */
export async function askOnce({ url, next }: LoadTarget): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = await open(hostname, Number(port))
  try {
    return (await createAsker(socket)(next())).toString()
  } finally {
    socket.destroy()
  }
}

export function request(url: string, headers: Record<string, string>, body: string): Buffer {
  const { host, pathname } = new URL(url)
  const lines = Object.entries({ host, 'content-type': 'application/json', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

async function open(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket
}

/** Sends one request at a time on a socket. Throws for any status but 200. */
function createAsker(socket: Socket): (bytes: Buffer) => Promise<Buffer> {
  let waiting: PromiseWithResolvers<Buffer> | undefined
  let got: Buffer = Buffer.alloc(0)
  const fail = (error: Error) => waiting?.reject(error)
  socket.on('error', fail).on('close', () => fail(new Error('the server closed the connection')))
  socket.on('data', (chunk: Buffer) => {
    got = got.length === 0 ? chunk : Buffer.concat([got, chunk])
    if (!isWhole(got)) return
    const whole = got
    got = Buffer.alloc(0)
    if (whole.toString('latin1', 9, 12) === '200') waiting!.resolve(whole)
    else fail(new Error(whole.toString()))
  })
  return (bytes) => {
    waiting = Promise.withResolvers()
    socket.write(bytes)
    return waiting.promise
  }
}

function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return false
  const head = bytes.toString('latin1', 0, end).toLowerCase()
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= end + 4 + Number(length)
  return bytes.toString('latin1', bytes.length - 7) === '\r\n0\r\n\r\n'
}
