import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP relay on loopback. While paused it accepts connections and bytes and passes nothing on, as a stopped process. */
export type PausableRelay = AsyncDisposable & { port: number; pause(): void; resume(): void }

export async function startPausableRelay(to: { host: string; port: number }): Promise<PausableRelay> {
  const sockets = new Set<Socket>()
  let running = Promise.withResolvers<void>()
  running.resolve()
  const keep = (socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}))
    return socket
  }
  const pass = async (from: Socket, onTo: Socket) => {
    try {
      for await (const chunk of from) {
        await running.promise
        onTo.write(chunk as Buffer)
      }
      onTo.end()
    } catch {
      onTo.destroy()
    }
  }
  const server = createServer((client) => {
    const upstream = keep(connect(to.port, to.host))
    void pass(keep(client), upstream)
    void pass(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    pause: () => {
      running = Promise.withResolvers<void>()
    },
    resume: () => running.resolve(),
    [Symbol.asyncDispose]: async () => {
      running.resolve()
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
