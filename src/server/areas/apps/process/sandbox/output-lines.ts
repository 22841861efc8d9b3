import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { LINE_COST_BYTES, type LogRate } from '../../logs/log-rate.ts'

/** A longer line is handed on in parts. */
const MAX_LINE_BYTES = 64 * 1024

const wait = (ms: number) => delay(ms, undefined, { ref: false })

type LineOptions = {
  readonly onLine: (text: string) => void
  readonly rate: LogRate
  readonly pause?: (ms: number) => Promise<unknown>
  /** Bytes that a former reader took and did not hand on. */
  readonly rest?: Buffer | undefined
}

/** A stream that is being read. */
export type LineReading = {
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>
  /** Returns the bytes that were read and not handed on. */
  readonly rest: () => Buffer
}

/** Hands on a stream line by line, without line ends. Memory and time are bounded: lines are cut, and the writer is held back. */
export function followLines(stream: Readable, { onLine, rate, pause = wait, rest: first }: LineOptions): LineReading {
  let rest: Buffer = Buffer.alloc(0)
  let lines = 0
  const handOn = (line: Buffer) => {
    lines++
    onLine(textOf(line))
  }
  const handOnAll = (chunk: Buffer) => {
    rest = splitLines(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), handOn)
  }
  const read = async () => {
    if (first) handOnAll(first)
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        handOnAll(chunk)
        const pauseMs = rate(chunk.length + lines * LINE_COST_BYTES)
        lines = 0
        if (pauseMs > 0) await pause(pauseMs)
      }
    } catch {
      // The stream was destroyed with its process.
    }
    if (rest.length > 0) handOn(rest)
  }
  return { ended: read(), rest: () => Buffer.concat([rest, peek(stream)]) }
}

/** Returns what waits in a stream, and leaves it there. */
function peek(stream: Readable): Buffer {
  const parts: Buffer[] = []
  for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) parts.push(chunk as Buffer)
  const waiting = Buffer.concat(parts)
  if (waiting.length > 0) stream.unshift(waiting)
  return waiting
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
