import { MAX_UNDER_WAY, MAX_UNDER_WAY_PER_APP } from './program/bounds.ts'

/** Counts the requests under way, of all apps together and of each. */
export class Slots {
  readonly #perApp = new Map<string, number>()
  #taken = 0

  /** Returns what gives the slot back, to be called once, or undefined if none is free. */
  take(label: string): (() => void) | undefined {
    const ofApp = this.#perApp.get(label) ?? 0
    if (this.#taken >= MAX_UNDER_WAY || ofApp >= MAX_UNDER_WAY_PER_APP) return undefined
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
