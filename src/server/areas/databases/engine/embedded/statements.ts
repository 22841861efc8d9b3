import { type ClientMessage, cStrings } from './wire-messages.ts'

/** The limit of all named statements of one connection together. Drivers keep a few hundred short ones. */
const MAX_STATEMENT_BYTES = 4 * 1024 * 1024
/** The memory of an entry beside its text, in bytes. */
const STATEMENT_OVERHEAD_BYTES = 1024
const SENT_OVERHEAD_BYTES = 64

type Sent = { type: 'P' | 'C' | 'end'; name?: string; bytes?: Buffer }

export class TooManyStatements extends Error {
  override readonly name = 'TooManyStatements'
}

/**
 * Remembers the named statements of one connection. The engine forgets them when another connection has its turn, so
 * they are sent to it again when they are used. Two connections may use the same name for different statements. What a
 * client asks for counts once the engine confirms it: a statement that is refused leaves the earlier one in place.
 */
export class Statements {
  readonly #parseMessages = new Map<string, Buffer>()
  readonly #confirmed = new Set<string>()
  /**
   * Messages that the engine has not confirmed yet: Parse, Close, and the ends after which it answers ReadyForQuery.
   */
  readonly #sent: Sent[] = []
  #bytes = 0

  /** Called when the engine has forgotten all of them. */
  onFresh(): void {
    this.#confirmed.clear()
  }

  /**
   * Takes note of a message, and returns the name of a statement that the engine must be told first, if there is one.
   */
  note({ type, bytes, body, rest }: ClientMessage): string | undefined {
    const name = nameIn(type, body)
    const isForgotten = name !== undefined && this.#isForgotten(name)
    if (type === 'P' || type === 'C') this.#send({ type, ...(name && { name, bytes }) }, rest)
    else if (ENDS.includes(type)) this.#send({ type: 'end' }, 0)
    return isForgotten && type !== 'C' ? name : undefined
  }

  /** Returns whether the engine confirmed the statement once and has forgotten it. */
  #isForgotten(name: string): boolean {
    if (!this.#parseMessages.has(name) || this.#confirmed.has(name)) return false
    return !this.#sent.some((sent) => sent.type === 'P' && sent.name === name)
  }

  onAnswer(type: string): void {
    if (type === '1') this.#confirm('P')
    else if (type === '3') this.#confirm('C')
    else if (type === 'Z') this.#drop(this.#sent.findIndex((sent) => sent.type === 'end') + 1)
  }

  /** Called when the engine has consumed everything. What it did not confirm, it skipped after an error. */
  onIdle(): void {
    this.#drop(this.#sent.length)
  }

  #send(sent: Sent, rest: number): void {
    this.#sent.push(sent)
    this.#bytes += SENT_OVERHEAD_BYTES + costOf(sent.bytes)
    if ((sent.name && rest > 0) || this.#bytes > MAX_STATEMENT_BYTES) {
      throw new TooManyStatements(
        `named statements of one connection may have ${MAX_STATEMENT_BYTES / 1024 / 1024} MiB together: ` +
          'close some, or send long ones without a name',
      )
    }
  }

  #confirm(type: 'P' | 'C'): void {
    const at = this.#sent.findIndex((sent) => sent.type === type)
    const [sent] = at < 0 ? [] : this.#sent.splice(at, 1)
    if (!sent) return
    this.#bytes -= SENT_OVERHEAD_BYTES + costOf(sent.bytes)
    if (!sent.name || !sent.bytes) return
    this.#forget(sent.name)
    if (type === 'P') this.#remember(sent.name, sent.bytes)
  }

  #drop(count: number): void {
    for (const sent of this.#sent.splice(0, count)) this.#bytes -= SENT_OVERHEAD_BYTES + costOf(sent.bytes)
  }

  parseMessage(name: string): Buffer {
    return this.#parseMessages.get(name) ?? Buffer.alloc(0)
  }

  markKnown(name: string): void {
    this.#confirmed.add(name)
  }

  #remember(name: string, bytes: Buffer): void {
    this.#bytes += costOf(bytes)
    this.#parseMessages.set(name, bytes)
    this.#confirmed.add(name)
  }

  #forget(name: string): void {
    this.#bytes -= costOf(this.#parseMessages.get(name))
    this.#parseMessages.delete(name)
    this.#confirmed.delete(name)
  }
}

/** Whether the engine answers the message with ReadyForQuery: Query, Sync and FunctionCall. */
const ENDS = 'QSF'

function costOf(bytes: Buffer | undefined): number {
  return bytes ? bytes.length + STATEMENT_OVERHEAD_BYTES : 0
}

/** Returns the name of the statement in a Parse, Bind, Describe or Close. */
function nameIn(type: string, body: Buffer): string | undefined {
  if (type === 'P') return cStrings(body)[0]
  if (type === 'B') return cStrings(body)[1]
  if (type === 'D' || type === 'C') return body[0] === 0x53 ? cStrings(body.subarray(1))[0] : undefined
  return undefined
}
