import { Writable } from 'node:stream'
import { freeBuffer } from '../memory/free-buffer.ts'

/** Large, because each block is a job for another thread. */
const BLOCK_BYTES = 256 * 1024
/** One is filled, one is being written and one waits. */
const MAX_BLOCKS = 3

/**
 * Writes to `to` in large blocks and ends it. The memory of a block is used again once `to` has taken it, so that a stream
 * of any length needs the same few blocks. Frees the buffers that are written to it.
 */
export function writeInBlocks(to: Writable): Writable {
  const blocks: Buffer[] = []
  const unused: Buffer[] = []
  let current: Buffer | undefined
  let filled = 0
  let waiting: (() => void) | undefined
  const nextBlock = (): Buffer | undefined => {
    if (unused.length > 0 || blocks.length === MAX_BLOCKS) return unused.pop()
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
    blocks.push(block)
    return block
  }
  const send = (block: Buffer) => {
    to.write(block, (error) => {
      if (error) return
      unused.push(block)
      const resume = waiting
      waiting = undefined
      resume?.()
    })
    current = undefined
    filled = 0
  }
  const add = (bytes: Buffer, done: () => void): void => {
    current ??= nextBlock()
    if (!current) {
      waiting = () => add(bytes, done)
      return
    }
    const copied = bytes.copy(current, filled)
    filled += copied
    if (filled === BLOCK_BYTES) send(current)
    if (copied < bytes.length) add(bytes.subarray(copied), done)
    else done()
  }
  const stream = new Writable({
    write(bytes: Buffer, _encoding, callback) {
      add(bytes, () => {
        freeBuffer(bytes)
        callback()
      })
    },
    final(callback) {
      to.end(current?.subarray(0, filled), () => {
        // Not before the end, and not after a failure, because another thread may be reading them.
        for (const block of blocks) freeBuffer(block)
        callback()
      })
    },
    destroy(error, callback) {
      if (error) to.destroy(error)
      callback(error)
    },
  })
  to.once('error', (error) => stream.destroy(error))
  return stream
}
