import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'

/**
 * Streams of a descriptor of a pipe, which they close when they end. Those of `node:fs` would each keep one of the few
 * threads for files waiting.
 */
export function readPipe(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false })
}

export function writePipe(fd: number): Writable {
  return new Socket({ fd, readable: false, writable: true })
}
