import { COPY_FAIL, cStrings, message, SYNC, type WireMessage } from './wire-messages.ts'

/**
 * The named statements of one connection. The engine forgets them when another connection has its turn; they are
 * told to it again when they are used. So names of two connections never meet, and drivers may keep theirs.
 */
export class Statements {
  readonly #texts = new Map<string, Buffer>()
  readonly #told = new Set<string>()

  onFresh(): void {
    this.#told.clear()
  }

  /** What must be sent before this batch, if anything. */
  before(batch: readonly WireMessage[]): Buffer | undefined {
    const missing = new Set<string>()
    for (const { type, body, bytes } of batch) {
      const name = nameIn(type, body)
      if (name === undefined || name === '') continue
      if (type === 'P') this.#remember(name, bytes)
      else if (type === 'C') this.#forget(name)
      else if (this.#texts.has(name) && !this.#told.has(name)) missing.add(name)
    }
    if (missing.size === 0) return undefined
    for (const name of missing) this.#told.add(name)
    return Buffer.concat([...[...missing].map((name) => this.#texts.get(name)!), SYNC])
  }

  #remember(name: string, bytes: Buffer): void {
    this.#texts.set(name, bytes)
    this.#told.add(name)
  }

  #forget(name: string): void {
    this.#texts.delete(name)
    this.#told.delete(name)
  }
}

/** The statement that a Parse, Bind, Describe or Close names. */
function nameIn(type: string, body: Buffer): string | undefined {
  if (type === 'P') return cStrings(body)[0]
  if (type === 'B') return cStrings(body)[1]
  if (type === 'D' || type === 'C') return body[0] === 0x53 ? cStrings(body.subarray(1))[0] : undefined
  return undefined
}

/** A COPY that finds no data would take the engine down: see COPY_FAIL. */
export function guarded(batch: readonly WireMessage[]): Buffer {
  const last = batch.at(-1)!
  const before = batch.slice(0, -1).map(({ bytes }) => bytes)
  const end = last.type === 'Q' ? [last.bytes, COPY_FAIL] : [COPY_FAIL, last.bytes]
  return Buffer.concat([...before, ...end])
}

export const copyDone = message('c')
