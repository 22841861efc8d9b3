import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP relay on loopback. While paused it accepts connections and bytes and passes nothing on, as a stopped process. */
export type PausableRelay = AsyncDisposable & {
  port: number
  pause(): void
  resume(): void
  /** Ends all connections and refuses new ones, as a machine without the program. */
  cut(): Promise<void>
  /** Accepts connections again after a cut. */
  restore(): Promise<void>
}

/** `at` is the port of the relay, by default a free one. */
export async function startPausableRelay(to: { host: string; port: number }, at = 0): Promise<PausableRelay> {
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
  const open = async (onPort: number) => {
    server.listen(onPort, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  const port = await open(at)
  return {
    port,
    pause: () => {
      running = Promise.withResolvers<void>()
    },
    resume: () => running.resolve(),
    cut: close,
    restore: async () => void (await open(port)),
    [Symbol.asyncDispose]: async () => {
      running.resolve()
      await close()
    },
  }
}
