import type { DoorProcess } from './door-process.ts'
import { DoorEnded } from './own-requests.ts'

type Order = Parameters<DoorProcess['tell']>[0]

/** The orders that one door is carrying out, each with the promise that its answer settles. */
export class Orders {
  readonly #pending = new Map<number, PromiseWithResolvers<void>>()
  #nextId: number

  /** `firstId`: the door has answered, or will answer, those with lower ids, which a former program gave. */
  constructor(firstId = 0) {
    this.#nextId = firstId
  }

  get nextId(): number {
    return this.#nextId
  }

  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  /** Resolves when the door has carried the order out. Rejects with its fault, or with DoorEnded. */
  async give(door: DoorProcess, order: (id: number) => Order): Promise<void> {
    const id = this.#nextId++
    const pending = Promise.withResolvers<void>()
    this.#pending.set(id, pending)
    door.tell(order(id))
    await pending.promise
  }

  settle(id: number, fault: string | undefined): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (fault === undefined) pending?.resolve()
    else pending?.reject(new Error(fault))
  }

  /** Rejects all of them, because the door has ended. */
  end(description: string): void {
    for (const pending of this.#pending.values()) pending.reject(new DoorEnded(description))
    this.#pending.clear()
  }
}
