/** One server-sent event. Its type, id and retry time are not read: no provider needs them. */
type SseData = string

const MAX_EVENT_LENGTH = 4 * 1024 * 1024

/**
 * Reads the data of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) wherever the
 * borders between the chunks are. An event that the end of the body cuts off is dropped, as the standard says. Throws
 * for bytes that are not UTF-8 and for an event of more than 4 million characters.
 */
export async function* readSse(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseData> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new SseParser()
  for await (const chunk of chunks) yield* parser.push(decoder.decode(chunk, { stream: true }))
  // Throws if the last character is incomplete.
  yield* parser.push(decoder.decode())
}

class SseParser {
  #line = ''
  #data: string[] = []
  #length = 0
  #endedWithReturn = false

  /** Returns the data of the events that this text completes. */
  push(text: string): SseData[] {
    if (text === '') return []
    // A line end of two characters can be split between two chunks.
    const rest = this.#endedWithReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#endedWithReturn = text.endsWith('\r')
    const lines = rest.split(/\r\n|\r|\n/)
    const last = lines.pop()!
    const events = lines.flatMap((line) => this.#endLine(line) ?? [])
    this.#add(last)
    return events
  }

  #add(text: string): void {
    this.#length += text.length
    if (this.#length > MAX_EVENT_LENGTH) throw new RangeError('a server-sent event is too large')
    this.#line += text
  }

  /** Returns the data of the event if the line is empty, which ends it, and the event has data. */
  #endLine(end: string): SseData | undefined {
    this.#add(end)
    const line = this.#line
    this.#line = ''
    if (line !== '') {
      const data = dataOf(line)
      if (data !== undefined) this.#data.push(data)
      return undefined
    }
    const event = this.#data.length > 0 ? this.#data.join('\n') : undefined
    this.#data = []
    this.#length = 0
    return event
  }
}

/** Returns the value of a `data` line, and undefined for comments and other fields. */
function dataOf(line: string): string | undefined {
  if (line === 'data') return ''
  if (!line.startsWith('data:')) return undefined
  return line.startsWith('data: ') ? line.slice(6) : line.slice(5)
}
