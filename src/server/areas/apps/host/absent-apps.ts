type Absence = 'not_running' | 'unknown'

const REMEMBERED_MS = 1_000
const MAX_APPS = 1_000

/**
 * Remembers for a second why a request to an app went nowhere, so that many such requests cost one query. What changes
 * here makes it forget at once; a change in another process does when its notification arrives.
 */
export class AbsentApps {
  readonly #nowMs: () => number
  readonly #apps = new Map<string, { readonly absence: Absence; readonly until: number }>()
  #changes = 0

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Returns undefined, and remembers nothing, for an app that is found. */
  async find(label: string, look: () => Promise<Absence | undefined>): Promise<Absence | undefined> {
    const remembered = this.#apps.get(label)
    if (remembered && remembered.until > this.#nowMs()) return remembered.absence
    const before = this.#changes
    const absence = await look()
    this.#apps.delete(label)
    // An app that started during the query must not be called absent after it.
    if (absence !== undefined && before === this.#changes) this.#remember(label, absence)
    return absence
  }

  forget(): void {
    this.#changes++
    this.#apps.clear()
  }

  #remember(label: string, absence: Absence): void {
    const [oldest] = this.#apps.keys()
    if (this.#apps.size >= MAX_APPS && oldest !== undefined) this.#apps.delete(oldest)
    this.#apps.set(label, { absence, until: this.#nowMs() + REMEMBERED_MS })
  }
}
