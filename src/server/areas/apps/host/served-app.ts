import { endsWithin } from '#lib/async/race.ts'
import type { Instance, KeptSockets } from '../deploys/target.ts'
import type { AppAddress } from '../door/messages.ts'
import { once, sendAndWatch } from '../door/program/send-and-watch.ts'

/** An instance of an app, with a count of the requests that it is answering and of its WebSockets. */
export type ServedInstance = {
  readonly address: AppAddress
  readonly route?: Instance['route']
  readonly unroute?: Instance['unroute']
  /** Sends a request of svc itself. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Counts a request until the result is called. */
  readonly begin: () => () => void
  /** Counts a WebSocket until the result is called. `close` is called when it is to end. */
  readonly beginSocket: (close: () => void) => () => void
  /**
   * Resolves when nothing is under way any more, or when the time for it is over: `graceMs` for requests. WebSockets are
   * closed at once, or after the time in `keptSockets`.
   */
  readonly drain: (graceMs: number, keptSockets?: KeptSockets) => Promise<void>
}

/** For the door to send close frames and to end the connections. */
const CLOSE_MS = 2_000

/** Counts the requests of an instance until their answers were read, so that a switch can let them end. */
export function serveInstance(
  instance: Pick<Instance, 'address' | 'fetch' | 'route' | 'unroute' | 'drain'>,
): ServedInstance {
  const { address, fetch, route, unroute } = instance
  const requests = new UnderWay()
  const sockets = new UnderWay()
  const begin = () => requests.begin(() => {})
  const drainSockets = async (graceMs: number, keptSockets: KeptSockets | undefined) => {
    keptSockets?.signal.addEventListener('abort', () => sockets.close(), { once: true })
    if (keptSockets && !keptSockets.signal.aborted) await endsWithin(keptSockets.ms, sockets.idle())
    sockets.close()
    await endsWithin(Math.min(graceMs, CLOSE_MS), sockets.idle())
  }
  return {
    address,
    route,
    unroute,
    begin,
    beginSocket: (close) => sockets.begin(close),
    fetch: (request) => sendAndWatch(fetch, request, begin()),
    // Real time: it bounds a stop.
    drain: async (graceMs, keptSockets) => {
      await Promise.all([
        endsWithin(graceMs, requests.idle()),
        drainSockets(graceMs, keptSockets),
        instance.drain?.(graceMs, keptSockets),
      ])
    },
  }
}

class UnderWay {
  readonly #closes = new Set<() => void>()
  #waiting: (() => void)[] = []
  #isClosing = false

  begin(close: () => void): () => void {
    const entry = () => close()
    this.#closes.add(entry)
    // Not before the caller has what ends it.
    if (this.#isClosing) queueMicrotask(entry)
    return once(() => {
      this.#closes.delete(entry)
      if (this.#closes.size > 0) return
      for (const resolve of this.#waiting) resolve()
      this.#waiting = []
    })
  }

  idle(): Promise<void> {
    return this.#closes.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve))
  }

  close(): void {
    this.#isClosing = true
    for (const close of this.#closes) close()
  }
}
