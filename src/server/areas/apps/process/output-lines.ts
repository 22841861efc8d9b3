import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** A longer line is handed on in parts. */
const MAX_LINE_BYTES = 64 * 1024
/** What one stream may write in a second. A process that writes more waits, as for a slow terminal. */
const BYTES_PER_SECOND = 4 * 1024 * 1024

/**
 * Hands on a stream line by line, without line ends. Resolves when the stream has ended. Memory and time are bounded:
 * lines are cut, and the writer is held back.
 */
export async function readLines(stream: Readable, onLine: (text: string) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let budget = BYTES_PER_SECOND
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      rest = handOn(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), onLine)
      budget -= chunk.length
      if (budget > 0) continue
      await delay(1000, undefined, { ref: false })
      budget = BYTES_PER_SECOND
    }
  } catch {
    // The stream was destroyed with its process.
  }
  if (rest.length > 0) onLine(textOf(rest))
}

/** Returns what follows the last complete line. */
function handOn(bytes: Buffer, onLine: (text: string) => void): Buffer {
  let start = 0
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    onPart(bytes.subarray(start, end), onLine)
    start = end + 1
  }
  let rest = bytes.subarray(start)
  for (; rest.length >= MAX_LINE_BYTES; rest = rest.subarray(MAX_LINE_BYTES)) {
    onLine(textOf(rest.subarray(0, MAX_LINE_BYTES)))
  }
  return rest
}

function onPart(line: Buffer, onLine: (text: string) => void): void {
  let rest = line
  for (; rest.length > MAX_LINE_BYTES; rest = rest.subarray(MAX_LINE_BYTES)) {
    onLine(textOf(rest.subarray(0, MAX_LINE_BYTES)))
  }
  onLine(textOf(rest))
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\r$/, '')
}
