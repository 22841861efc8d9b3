import type { KeptLine, Stored } from '../messages.ts'
import { ForgottenLines, type FrozenForgotten } from './forgotten-lines.ts'

type Limits = { readonly lines: number; readonly bytes: number }
const LIMITS: Limits = { lines: 2_000, bytes: 256 * 1024 }
/** Memory that a line takes beside its text. */
const LINE_BYTES = 100

/** The lines for the next program in this process. */
export type FrozenLines = {
  readonly lines: readonly KeptLine[]
  readonly forgotten: FrozenForgotten
  readonly sent: number
  readonly dropped: number
  readonly firstAt: number | null
  readonly lastAt: number
}

/**
 * The newest lines of one app. They stay here after they were sent, because a server can be killed before it has stored
 * them. Lines that fall out before they were sent are counted, and those that were sent too if they turn out not to be
 * stored, so that each line of the app is stored or counted once.
 */
export class LineBuffer {
  readonly #limits: Limits
  readonly #forgotten: ForgottenLines
  #lines: KeptLine[] = []
  #bytes = 0
  /** How many of the lines were sent to the server that hosts the app now. */
  #sent = 0
  #dropped = 0
  #firstAt: number | undefined
  #lastAt = 0

  constructor({ limits = LIMITS, forgotten = new ForgottenLines() } = {}) {
    this.#limits = limits
    this.#forgotten = forgotten
  }

  static restore({ lines, forgotten, sent, dropped, firstAt, lastAt }: FrozenLines): LineBuffer {
    const buffer = new LineBuffer({ forgotten: ForgottenLines.restore(forgotten) })
    buffer.#lines = [...lines]
    buffer.#bytes = lines.reduce((sum, { text }) => sum + text.length + LINE_BYTES, 0)
    buffer.#sent = sent
    buffer.#dropped = dropped
    buffer.#firstAt = firstAt ?? undefined
    buffer.#lastAt = lastAt
    return buffer
  }

  freeze(): FrozenLines {
    return {
      lines: this.#lines,
      forgotten: this.#forgotten.freeze(),
      sent: this.#sent,
      dropped: this.#dropped,
      firstAt: this.#firstAt ?? null,
      lastAt: this.#lastAt,
    }
  }

  /** The time of a line is never before that of the line before it, so that times tell which lines were stored. */
  add(line: Omit<KeptLine, 'at'>, now: number): void {
    this.#lastAt = Math.max(this.#lastAt, now)
    this.#firstAt ??= this.#lastAt
    this.#lines.push({ ...line, at: this.#lastAt })
    this.#bytes += line.text.length + LINE_BYTES
    while (this.#lines.length > this.#limits.lines || this.#bytes > this.#limits.bytes) this.#forgetOldest()
  }

  /** The next line to send. One that stands for dropped lines comes first. */
  next(): KeptLine | undefined {
    if (this.#dropped > 0) return this.#droppedLine()
    return this.#lines[this.#sent++] ?? this.#atEnd()
  }

  /**
   * Begins to send again, after the lines that are stored or were counted as dropped behind the newest of them. Lines after
   * those that are not here any more are counted as dropped.
   */
  resendAfter(stored: Stored | null): void {
    const [at, count] = stored === null ? [Number.NEGATIVE_INFINITY, 0] : [stored.at, stored.count]
    const forgottenThen = this.#forgotten.at(at)
    const missing = this.#forgotten.after(at) + Math.max(forgottenThen - count, 0)
    const counted = this.#countedBehind(stored)
    this.#dropped = Math.max(missing - counted, 0)
    const first = this.#firstAfter(at, Math.max(count - forgottenThen, 0))
    this.#sent = Math.min(first + Math.max(counted - missing, 0), this.#lines.length)
  }

  /** Lines that are missing from before the first line here were those of a former instance of the app. */
  #countedBehind(stored: Stored | null): number {
    const { count, since } = stored?.dropped ?? { count: 0, since: 0 }
    return this.#firstAt !== undefined && since >= this.#firstAt ? count : 0
  }

  /** Index of the first line after this time and after so many lines that the app wrote at this time. */
  #firstAfter(time: number, count: number): number {
    let left = count
    const isStored = ({ at, stream }: KeptLine): boolean => {
      if (at !== time) return at < time
      return stream === 'system' || left-- > 0
    }
    const first = this.#lines.findIndex((line) => !isStored(line))
    return first === -1 ? this.#lines.length : first
  }

  /**
   * Dropped lines of the time of the next line are reported apart, with that time: a server counts them with the lines of
   * that time that it has stored.
   */
  #droppedLine(): KeptLine {
    const at = this.#lines[this.#sent]?.at ?? this.#lastAt
    const then = Math.min(this.#dropped, this.#forgotten.at(at))
    const isBefore = this.#dropped > then
    const dropped = isBefore ? this.#dropped - then : then
    this.#dropped -= dropped
    const text = `${dropped} lines were dropped here, because no server read them.`
    return { stream: 'system', text, at: isBefore ? at - 1 : at, dropped }
  }

  #atEnd(): undefined {
    this.#sent = this.#lines.length
    return undefined
  }

  #forgetOldest(): void {
    const oldest = this.#lines.shift()
    if (!oldest) return
    this.#bytes -= oldest.text.length + LINE_BYTES
    this.#forgotten.add(oldest.at, oldest.stream === 'system' ? 'system' : 'app', { wasSent: this.#sent > 0 })
    if (this.#sent > 0) this.#sent--
    else this.#dropped++
  }
}
