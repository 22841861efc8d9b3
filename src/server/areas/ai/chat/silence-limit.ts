/** Bounds each wait for the provider, and the whole call. Time in which nobody waits for it does not count. */
export class SilenceLimit implements Disposable {
  readonly #silence = new AbortController()
  readonly #whole = new AbortController()
  readonly #silenceMs: number
  readonly #timer: NodeJS.Timeout
  readonly signal = AbortSignal.any([this.#silence.signal, this.#whole.signal])

  constructor({ silenceMs, wholeMs }: { silenceMs: number; wholeMs: number }) {
    this.#silenceMs = silenceMs
    this.#timer = setTimeout(() => this.#whole.abort(), wholeMs)
    this.#timer.unref()
  }

  async wait<T>(work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#silence.abort(), this.#silenceMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
    }
  }

  /** The limit that was reached, if one was. */
  get reached(): 'silence' | 'whole' | undefined {
    if (this.#silence.signal.aborted) return 'silence'
    return this.#whole.signal.aborted ? 'whole' : undefined
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
