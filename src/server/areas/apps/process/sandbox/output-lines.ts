import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { LINE_COST_BYTES, type LogRate } from '../../logs/log-rate.ts'

/** A longer line is handed on in parts. */
const MAX_LINE_BYTES = 64 * 1024

const wait = (ms: number) => delay(ms, undefined, { ref: false })

/**
 * Hands on a stream line by line, without line ends. Resolves when the stream has ended. Memory and time are bounded:
 * lines are cut, and the writer is held back.
 */
export async function readLines(
  stream: Readable,
  onLine: (text: string) => void,
  rate: LogRate,
  pause: (ms: number) => Promise<unknown> = wait,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let lines = 0
  const handOn = (line: Buffer) => {
    lines++
    onLine(textOf(line))
  }
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      rest = splitLines(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), handOn)
      const pauseMs = rate(chunk.length + lines * LINE_COST_BYTES)
      lines = 0
      if (pauseMs > 0) await pause(pauseMs)
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
