import { SERVICE_RESTART, type Tunnel } from '#lib/net/web-socket/tunnel.ts'
import type { AppAddress } from '../../messages.ts'

type OpenSocket = { readonly address: string; tunnel: Tunnel | undefined; readonly handshake: AbortController }

/** A WebSocket from its route to its end. */
export type SocketPlace = {
  /** Aborted when it is to end before it is open. */
  readonly signal: AbortSignal
  readonly open: (tunnel: Tunnel) => void
  readonly end: () => void
}

/** The WebSockets of one door, by the ids of their routes. */
export class OpenSockets {
  readonly #sockets = new Map<number, OpenSocket>()
  #isClosing = false

  begin(id: number, address: AppAddress, { onOpen, onEnd }: Record<'onOpen' | 'onEnd', () => void>): SocketPlace {
    const handshake = new AbortController()
    const socket: OpenSocket = { address: JSON.stringify(address), tunnel: undefined, handshake }
    this.#sockets.set(id, socket)
    if (this.#isClosing) close(socket)
    return {
      signal: handshake.signal,
      open: (tunnel) => {
        socket.tunnel = tunnel
        onOpen()
        if (handshake.signal.aborted) close(socket)
      },
      end: () => {
        this.#sockets.delete(id)
        onEnd()
      },
    }
  }

  close(id: number): void {
    const socket = this.#sockets.get(id)
    if (socket) close(socket)
  }

  /** Closes those to an app that has ended. */
  closeAt(address: AppAddress): void {
    const key = JSON.stringify(address)
    for (const socket of this.#sockets.values()) if (socket.address === key) close(socket)
  }

  /** Closes all, also those that are opened later. Resolves when those that were open have ended. */
  async closeAll(): Promise<void> {
    this.#isClosing = true
    const all = [...this.#sockets.values()]
    for (const socket of all) close(socket)
    await Promise.all(all.flatMap(({ tunnel }) => tunnel?.ended ?? []))
  }
}

function close({ tunnel, handshake }: OpenSocket): void {
  handshake.abort(new Error('the WebSocket is to end'))
  tunnel?.close(SERVICE_RESTART)
}
