import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** The bytes that a server sent on one connection, in the order of arrival. `hasEnded`: it closed the connection. */
export type Recording = { readonly chunks: readonly Uint8Array[]; readonly hasEnded: boolean }

type Player = AsyncDisposable & {
  readonly socket: string
  /** Resolves when so many recordings were played to their ends. */
  readonly played: (count: number) => Promise<void>
}

/** Answers at a socket with what was recorded, connection by connection. What is asked is not read. */
export async function playRecordings(path: string, recordings: readonly Recording[]): Promise<Player> {
  const open = new Set<Socket>()
  let next = 0
  let played = 0
  let onPlayed = () => {}
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).once('close', () => open.delete(socket))
    const recording = recordings[next++ % recordings.length]!
    // Reports that the connection was accepted, see `createSocketFetch`.
    socket.write('+')
    const onEnd = () => {
      played++
      onPlayed()
    }
    socket.once('data', () => play(socket, recording, onEnd)).resume()
  })
  await once(server.listen(path), 'listening')
  return {
    socket: path,
    played: (count) =>
      new Promise((resolve) => {
        onPlayed = () => void (played >= count && resolve())
        onPlayed()
      }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}

function play(socket: Socket, { chunks, hasEnded }: Recording, onEnd: () => void): void {
  const [first, ...rest] = chunks
  if (first) return void socket.write(first, () => play(socket, { chunks: rest, hasEnded }, onEnd))
  if (hasEnded) socket.end()
  onEnd()
}

/** Sends bytes to a port of this machine and throws the answer away. The connection ends with the other side. */
export function sendBytes(port: number, bytes: Uint8Array): void {
  connect({ host: '127.0.0.1', port })
    .on('error', () => {})
    .resume()
    .write(bytes)
}
