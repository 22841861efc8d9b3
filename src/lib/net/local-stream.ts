import { chmodSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'

/** A longer path of a socket is cut by the operating system. */
const MAX_PATH_BYTES = 100

/** Whether a path is short enough for a socket. */
export function fitsSocket(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES
}

/**
 * Takes connections of other processes of the same user at a socket file. The caller holds a lock, so a file that lies
 * there is of a process that ended.
 */
export async function listenLocal(path: string, onConnection: (socket: Socket) => void): Promise<AsyncDisposable> {
  rmSync(path, { force: true })
  const server = createServer(onConnection)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
  server.on('error', () => {})
  chmodSync(path, 0o600)
  return {
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Returns undefined if nobody listens at the socket file. */
export async function connectLocal(path: string): Promise<Socket | undefined> {
  const socket = createConnection(path)
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject)
    })
    return socket
  } catch {
    return undefined
  }
}
