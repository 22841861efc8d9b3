import { rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { messageOf } from '../message-of.ts'

type Reply = { readonly ok: true } | { readonly fault: string }

/** A longer path of a socket is cut by the operating system. */
const MAX_PATH_BYTES = 100
const MAX_MESSAGE_CHARS = 10_000

/**
 * Takes requests of other processes at a socket file, each a line of JSON. Returns undefined, and takes none, where the path
 * is too long for a socket. The file is open to whoever can enter its folder. The caller holds a lock, so a file that lies
 * there is of a process that ended.
 */
export async function serveLocal(
  path: string,
  handle: (request: unknown) => Promise<void>,
): Promise<AsyncDisposable | undefined> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return undefined
  rmSync(path, { force: true })
  const server = createServer((socket) => void answer(socket, handle))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
  return {
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function answer(socket: Socket, handle: (request: unknown) => Promise<void>): Promise<void> {
  socket.on('error', () => undefined)
  const reply = (message: Reply) => socket.end(`${JSON.stringify(message)}\n`)
  try {
    const line = await readLine(socket)
    if (line === undefined) return
    await handle(JSON.parse(line))
    reply({ ok: true })
  } catch (error) {
    reply({ fault: messageOf(error) })
  }
}

/**
 * Sends a request and waits until it is done. Returns false if nobody listens, or if the other process ends before it
 * answers. Throws with the reason of a refusal.
 */
export async function askLocal(path: string, request: object): Promise<boolean> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return false
  const socket = createConnection(path)
  socket.on('error', () => undefined)
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject)
    })
  } catch {
    return false
  }
  socket.write(`${JSON.stringify(request)}\n`)
  const line = await readLine(socket)
  socket.destroy()
  if (line === undefined) return false
  const reply = JSON.parse(line) as Reply
  if ('fault' in reply) throw new Error(reply.fault)
  return true
}

/**
 * Returns undefined if the socket closes before the end of the line. Does not use the socket's iterator, which would close
 * it for the answer too.
 */
function readLine(socket: Socket): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    text += chunk
    const end = text.indexOf('\n')
    if (end >= 0) resolve(text.slice(0, end))
    else if (text.length > MAX_MESSAGE_CHARS) reject(new Error('the message is too long'))
  })
  socket.once('close', () => resolve(undefined))
  return promise
}
