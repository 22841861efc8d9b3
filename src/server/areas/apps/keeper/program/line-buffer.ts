import type { KeptLine, Stored } from '../messages.ts'

const MAX_LINES = 2_000
const MAX_BYTES = 256 * 1024
/** Memory that a line takes beside its text. */
const LINE_BYTES = 100

/** The lines for the next program in this process. */
export type FrozenLines = {
  readonly lines: readonly KeptLine[]
  readonly sent: number
  readonly dropped: number
  readonly lastAt: number
}

/**
 * The newest lines of one app. They stay here after they were sent, because a server can be killed before it has stored
 * them. What falls out before it was sent is counted.
 */
export class LineBuffer {
  #lines: KeptLine[] = []
  #bytes = 0
  /** How many of the lines were sent to the server that hosts the app now. */
  #sent = 0
  #dropped = 0
  #lastAt = 0

  static restore({ lines, sent, dropped, lastAt }: FrozenLines): LineBuffer {
    const buffer = new LineBuffer()
    buffer.#lines = [...lines]
    buffer.#bytes = lines.reduce((sum, { text }) => sum + text.length + LINE_BYTES, 0)
    buffer.#sent = sent
    buffer.#dropped = dropped
    buffer.#lastAt = lastAt
    return buffer
  }

  freeze(): FrozenLines {
    return { lines: this.#lines, sent: this.#sent, dropped: this.#dropped, lastAt: this.#lastAt }
  }

  /** The time of a line is never before that of the line before it, so that times tell which lines were stored. */
  add(line: Omit<KeptLine, 'at'>, now: number): void {
    this.#lastAt = Math.max(this.#lastAt, now)
    this.#lines.push({ ...line, at: this.#lastAt })
    this.#bytes += line.text.length + LINE_BYTES
    while (this.#lines.length > MAX_LINES || this.#bytes > MAX_BYTES) this.#forgetOldest()
  }

  /** The next line to send. One that stands for dropped lines comes first. */
  next(): KeptLine | undefined {
    if (this.#dropped > 0) {
      const dropped = this.#dropped
      this.#dropped = 0
      const text = `${dropped} lines were dropped here, because no server read them.`
      return { stream: 'system', text, at: this.#lines[this.#sent]?.at ?? this.#lastAt, dropped }
    }
    return this.#lines[this.#sent++] ?? this.#atEnd()
  }

  /** Begins to send again, after the lines that are stored. */
  resendAfter(stored: Stored | null): void {
    let left = stored?.count ?? 0
    const isStored = ({ at, stream }: KeptLine): boolean => {
      if (stored === null || at !== stored.at) return stored !== null && at < stored.at
      return stream === 'system' || left-- > 0
    }
    const first = this.#lines.findIndex((line) => !isStored(line))
    this.#sent = first === -1 ? this.#lines.length : first
  }

  #atEnd(): undefined {
    this.#sent = this.#lines.length
    return undefined
  }

  #forgetOldest(): void {
    const oldest = this.#lines.shift()
    this.#bytes -= (oldest?.text.length ?? 0) + LINE_BYTES
    if (this.#sent > 0) this.#sent--
    else this.#dropped++
  }
}
