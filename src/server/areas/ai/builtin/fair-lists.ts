/** Serves lists in turn, so that a single text waits for one text of a long list and not for all of them. */
export class FairLists<T> {
  #lists: T[][] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(list: readonly T[]): void {
    if (list.length > 0) this.#lists.push([...list])
    this.#size += list.length
  }

  take(): T | undefined {
    const list = this.#lists.shift()
    if (!list) return undefined
    const item = list.shift()
    if (list.length > 0) this.#lists.push(list)
    this.#size--
    return item
  }

  takeAll(): T[] {
    const all = this.#lists.flat()
    this.#lists = []
    this.#size = 0
    return all
  }

  /** Removes the jobs that no caller waits for anymore. */
  drop(gone: (item: T) => boolean): void {
    this.#lists = this.#lists.map((list) => list.filter((item) => !gone(item))).filter((list) => list.length > 0)
    this.#size = this.#lists.reduce((size, list) => size + list.length, 0)
  }
}
