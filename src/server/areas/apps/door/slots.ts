type SlotLimits = { readonly total: number; readonly perApp: number }

/** Counts the requests or WebSockets under way, of all apps together and of each. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #perApp = new Map<string, number>()
  #taken = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** Returns what gives the slot back, to be called once, or undefined if none is free. */
  take(label: string): (() => void) | undefined {
    const ofApp = this.#perApp.get(label) ?? 0
    if (this.#taken >= this.#limits.total || ofApp >= this.#limits.perApp) return undefined
    this.#taken++
    this.#perApp.set(label, ofApp + 1)
    return () => this.#giveBack(label)
  }

  #giveBack(label: string): void {
    this.#taken--
    const left = (this.#perApp.get(label) ?? 0) - 1
    if (left > 0) this.#perApp.set(label, left)
    else this.#perApp.delete(label)
  }
}
