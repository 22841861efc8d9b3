import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** A longer line is handed on in parts. */
const MAX_LINE_BYTES = 64 * 1024
/** What one stream may write in a second. A process that writes more waits, as for a slow terminal. */
const BYTES_PER_SECOND = 4 * 1024 * 1024
/** What a line costs beside its bytes, so that empty lines do not come by the million. */
const LINE_COST_BYTES = 512

const wait = (ms: number) => delay(ms, undefined, { ref: false })

/**
 * Hands on a stream line by line, without line ends. Resolves when the stream has ended. Memory and time are bounded:
 * lines are cut, and the writer is held back.
 */
export async function readLines(
  stream: Readable,
  onLine: (text: string) => void,
  pause: (ms: number) => Promise<unknown> = wait,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let budget = BYTES_PER_SECOND
  const handOn = (line: Buffer) => {
    budget -= LINE_COST_BYTES
    onLine(textOf(line))
  }
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      rest = splitLines(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), handOn)
      budget -= chunk.length
      if (budget > 0) continue
      await pause(1000 + Math.round((-budget / BYTES_PER_SECOND) * 1000))
      budget = BYTES_PER_SECOND
    }
  } catch {
    // The stream was destroyed with its process.
  }
  if (rest.length > 0) handOn(rest)
}

/** Returns what follows the last complete line. */
function splitLines(bytes: Buffer, onLine: (line: Buffer) => void): Buffer {
  let start = 0
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    onLine(cutParts(bytes.subarray(start, end), onLine))
    start = end + 1
  }
  return cutParts(bytes.subarray(start), onLine)
}

/** Hands on parts until the rest is short enough, and returns the rest. */
function cutParts(line: Buffer, onLine: (part: Buffer) => void): Buffer {
  let rest = line
  for (; rest.length > MAX_LINE_BYTES; rest = rest.subarray(MAX_LINE_BYTES)) onLine(rest.subarray(0, MAX_LINE_BYTES))
  return rest
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\r$/, '')
}
