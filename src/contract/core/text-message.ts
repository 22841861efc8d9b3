import type { RequestParts } from './client-send.ts'

/** A request whose body is a text, for a client that sends it without `fetch`. */
export class TextRequest {
  readonly url: string
  readonly parts: RequestParts
  readonly method: string
  readonly signal: AbortSignal

  constructor(url: string, parts: RequestParts) {
    this.url = url
    this.parts = parts
    this.method = parts.method
    this.signal = parts.signal?.() ?? new AbortController().signal
  }
}

/** The head of an answer as Node gives it, with names in lower case. */
type Head = {
  readonly statusCode?: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The part of a `Response` that the client reads of an answer in JSON. */
export class TextResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: { get(name: string): string | null }
  readonly #text: string

  constructor({ statusCode: status = 0, headers }: Head, text: string) {
    this.status = status
    this.ok = status >= 200 && status < 300
    this.headers = { get: (name) => headers[name.toLowerCase()]?.toString() ?? null }
    this.#text = text
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#text)
  }
}
