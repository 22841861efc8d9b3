import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { freeBuffer } from '#lib/memory/free-buffer.ts'

const IN_FLIGHT_BYTES = 256 * 1024

/**
 * Writes a file to its end and closes it. What was written is on the disk when the stream finishes. Frees the buffers that
 * are written to it, which a stream of Node's does not do.
 */
export function writeFile(handle: FileHandle): Writable {
  return new Writable({
    highWaterMark: IN_FLIGHT_BYTES,
    write(bytes: Buffer, _encoding, callback) {
      writeAll(handle, bytes).then(() => {
        freeBuffer(bytes)
        callback()
      }, callback)
    },
    final(callback) {
      handle.sync().then(() => callback(), callback)
    },
    destroy(error, callback) {
      handle.close().then(
        () => callback(error),
        (closeError: Error) => callback(error ?? closeError),
      )
    },
  })
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0
  while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten
}
