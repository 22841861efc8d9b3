import { type ClientMessage, cStrings } from './wire-messages.ts'

/** All named statements of one connection together; drivers keep a few hundred short ones. */
const MAX_STATEMENT_BYTES = 4 * 1024 * 1024

export class TooManyStatements extends Error {
  override readonly name = 'TooManyStatements'
}

/**
 * Remembers the named statements of one connection. The engine forgets them when another connection has its turn, so
 * they are sent to it again when they are used. Two connections may use the same name for different statements.
 */
export class Statements {
  readonly #parseMessages = new Map<string, Buffer>()
  readonly #known = new Set<string>()
  #bytes = 0

  /** The engine knows none of them any more. */
  onFresh(): void {
    this.#known.clear()
  }

  /** Takes note of a message, and returns the name of a statement that the engine must be told first, if there is one. */
  note({ type, bytes, body, rest }: ClientMessage): string | undefined {
    const name = nameIn(type, body)
    if (name === undefined || name === '') return undefined
    if (type === 'P') this.#remember(name, bytes, rest)
    else if (type === 'C') this.#forget(name)
    else if (this.#parseMessages.has(name) && !this.#known.has(name)) return name
    return undefined
  }

  parseMessage(name: string): Buffer {
    return this.#parseMessages.get(name) ?? Buffer.alloc(0)
  }

  markKnown(name: string): void {
    this.#known.add(name)
  }

  #remember(name: string, bytes: Buffer, rest: number): void {
    this.#forget(name)
    this.#bytes += bytes.length
    if (rest > 0 || this.#bytes > MAX_STATEMENT_BYTES) {
      throw new TooManyStatements(
        `named statements of one connection may have ${MAX_STATEMENT_BYTES / 1024 / 1024} MiB together: ` +
          'close some, or send long ones without a name',
      )
    }
    this.#parseMessages.set(name, bytes)
    this.#known.add(name)
  }

  #forget(name: string): void {
    this.#bytes -= this.#parseMessages.get(name)?.length ?? 0
    this.#parseMessages.delete(name)
    this.#known.delete(name)
  }
}

/** The statement that a Parse, Bind, Describe or Close names. */
function nameIn(type: string, body: Buffer): string | undefined {
  if (type === 'P') return cStrings(body)[0]
  if (type === 'B') return cStrings(body)[1]
  if (type === 'D' || type === 'C') return body[0] === 0x53 ? cStrings(body.subarray(1))[0] : undefined
  return undefined
}
