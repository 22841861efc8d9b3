import type { Socket } from 'node:net'
import { closeFrame, Frames } from './frames.ts'
import type { TunnelLimits } from './limits.ts'

/** Codes of close frames (RFC 6455 section 7.4.1 and its registry). */
const GOING_AWAY = 1001
export const SERVICE_RESTART = 1012

/** One end of a tunnel. `head` are bytes that were read already. */
export type TunnelEnd = { readonly socket: Socket; readonly head: Buffer }
type Sides = { readonly client: TunnelEnd; readonly app: TunnelEnd }

/**
 * Passes bytes between a client and an app until either ends or a limit is reached. A chunk that one side does not take
 * is all that is kept for it: until then nothing more is read from the other.
 */
export class Tunnel {
  readonly #client: Socket
  readonly #app: Socket
  readonly #limits: TunnelLimits
  readonly #fromClient = new Frames()
  readonly #fromApp = new Frames()
  readonly #idle: NodeJS.Timeout
  readonly #life: NodeJS.Timeout
  #ending: NodeJS.Timeout | undefined
  /** The code in the close frame that the client is to get. */
  #code: number | undefined
  #isCloseSent = false
  /** Resolves when both connections are closed. */
  readonly ended: Promise<void>

  constructor({ client, app }: Sides, limits: TunnelLimits) {
    this.#client = client.socket
    this.#app = app.socket
    this.#limits = limits
    this.#idle = setTimeout(() => this.close(GOING_AWAY), limits.idleMs).unref()
    this.#life = setTimeout(() => this.close(SERVICE_RESTART), limits.lifeMs).unref()
    this.ended = Promise.all([closed(this.#client), closed(this.#app)]).then(() => {
      for (const timer of [this.#idle, this.#life, this.#ending]) clearTimeout(timer)
    })
    for (const { socket, head } of [client, app]) {
      socket.setNoDelay()
      if (head.length > 0) socket.unshift(head)
    }
    this.#pump(this.#client, this.#app, (chunk) => this.#passToApp(chunk))
    this.#pump(this.#app, this.#client, (chunk) => this.#passToClient(chunk))
    // One of them can have ended before anybody listened.
    if (this.#client.destroyed || this.#app.destroyed) this.destroy()
  }

  /** Sends the client a close frame, after the frame that is under way, and ends both connections within the limit. */
  close(code: number): void {
    if (this.#code !== undefined) return
    this.#code = code
    clearTimeout(this.#ending)
    this.#ending = setTimeout(() => this.destroy(), this.#limits.closeMs).unref()
    if (this.#fromApp.isBetweenFrames) this.#sendClose(code)
  }

  destroy(): void {
    this.#client.destroy()
    this.#app.destroy()
  }

  #passToApp(chunk: Buffer): void {
    this.#fromClient.follow(chunk)
    if (!this.#isCloseSent) this.#write(this.#app, this.#client, chunk)
    else if (this.#fromClient.hasClosed) this.#client.end()
  }

  #passToClient(chunk: Buffer): void {
    const isClosing = this.#code !== undefined
    const count = this.#fromApp.follow(chunk, isClosing)
    if (this.#isCloseSent) return
    this.#write(this.#client, this.#app, isClosing ? chunk.subarray(0, count) : chunk)
    if (isClosing && this.#fromApp.isBetweenFrames) this.#sendClose(this.#code!)
  }

  #sendClose(code: number): void {
    this.#isCloseSent = true
    if (!this.#fromApp.hasClosed && this.#client.writable) this.#client.write(closeFrame(code))
    if (this.#fromClient.hasClosed) this.#client.end()
    this.#app.destroySoon()
    this.#client.resume()
  }

  #pump(source: Socket, target: Socket, pass: (chunk: Buffer) => void): void {
    const onEnd = () => {
      if (target === this.#app || !this.#isCloseSent) target.end()
      this.#ending ??= setTimeout(() => this.destroy(), this.#limits.halfClosedMs).unref()
    }
    source
      .on('data', (chunk: Buffer) => {
        this.#idle.refresh()
        pass(chunk)
      })
      .on('error', () => {})
      .once('end', onEnd)
      .once('close', () => {
        onEnd()
        if (target === this.#app || !this.#isCloseSent) target.destroySoon()
      })
  }

  #write(target: Socket, source: Socket, chunk: Buffer): void {
    if (chunk.length === 0 || !target.writable) return
    let stalled: NodeJS.Timeout | undefined
    target.write(chunk, () => {
      clearTimeout(stalled)
      if (target.writableLength === 0) source.resume()
    })
    if (target.writableLength === 0) return
    source.pause()
    stalled = setTimeout(() => this.destroy(), this.#limits.stalledMs).unref()
  }
}

function closed(socket: Socket): Promise<void> {
  return socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()))
}
