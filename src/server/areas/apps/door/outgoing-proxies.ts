import { rm } from 'node:fs/promises'
import type { DoorProcess } from './door-process.ts'
import type { ProxyFacts } from './messages.ts'
import type { Orders } from './orders.ts'
import { DoorEnded } from './own-requests.ts'

type Proxy = { readonly facts: ProxyFacts; readonly onRefused: (reason: string) => void }
type OnError = (error: unknown, path: string) => void

/** The ways out of apps, which each new door opens again. */
export class OutgoingProxies {
  readonly #orders: Orders
  readonly #onError: OnError
  readonly #proxies = new Map<string, Proxy>()

  /** `onError` is called for one that cannot be opened again. */
  constructor(orders: Orders, onError: OnError) {
    this.#orders = orders
    this.#onError = onError
  }

  async open(door: DoorProcess, facts: ProxyFacts, onRefused: (reason: string) => void): Promise<void> {
    this.#proxies.set(facts.path, { facts, onRefused })
    try {
      await this.#openOne(door, facts)
    } catch (error) {
      // A door that ended meanwhile opens it when it is started again.
      if (error instanceof DoorEnded) return
      this.#proxies.delete(facts.path)
      throw error
    }
  }

  async close(door: DoorProcess | undefined, path: string): Promise<void> {
    this.#proxies.delete(path)
    if (door) await this.#orders.give(door, (id) => ({ do: 'close_proxy', id, path })).catch(() => {})
  }

  /** One that cannot be opened again must not keep the door from all other apps. */
  async openAllAgain(door: DoorProcess): Promise<void> {
    for (const { facts } of this.#proxies.values()) {
      try {
        await this.#openOne(door, facts)
      } catch (error) {
        if (error instanceof DoorEnded) throw error
        this.#onError(error, facts.path)
      }
    }
  }

  refused(path: string, reason: string): void {
    this.#proxies.get(path)?.onRefused(reason)
  }

  async #openOne(door: DoorProcess, facts: ProxyFacts): Promise<void> {
    // The socket of a process that was killed is still there.
    await rm(facts.path, { force: true })
    await this.#orders.give(door, (id) => ({ do: 'open_proxy', id, ...facts }))
  }
}
