import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server on loopback that speaks bytes instead of HTTP. */
export async function startRawPeer(
  onConnection: (socket: Socket) => void,
): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    onConnection(socket.on('error', () => {}).once('close', () => sockets.delete(socket)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server.close(), 'close')
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Answers each request, once its headers arrived, with these bytes, and closes the connection. */
export function answerWith(bytes: string): (socket: Socket) => void {
  return (socket) => {
    let received = ''
    socket.on('data', (data) => {
      const before = received
      received += data.toString('latin1')
      if (!before.includes('\r\n\r\n') && received.includes('\r\n\r\n')) socket.end(Buffer.from(bytes, 'latin1'))
    })
  }
}
