/** Smaller buffers are not worth the call. */
const MIN_BYTES = 32 * 1024

/**
 * Frees the memory of a buffer now, because V8 collects buffers only after tens of megabytes of them. Does nothing for a
 * buffer that is followed by others in the same memory, so a sequence of buffers is freed with the last one of each
 * memory. The caller must be the last user of this memory: it is gone for every view of it.
 */
export function freeBuffer(bytes: Buffer): void {
  const { buffer, byteOffset, length } = bytes
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < MIN_BYTES || mayBePooled(bytes)) return
  if (byteOffset + length === buffer.byteLength) buffer.transfer(0)
}

/** Node puts small buffers of the whole process side by side into one memory of this size. */
function mayBePooled({ buffer, length }: Buffer): boolean {
  return buffer.byteLength === Buffer.poolSize && length < Buffer.poolSize / 2
}
