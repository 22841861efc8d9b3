/**
 * Reads at most `maxBytes` of a body as text and gives the rest up. Returns undefined if the connection broke before that,
 * and rejects if the signal is aborted.
 */
export async function readStart(response: Response, maxBytes: number, signal: AbortSignal) {
  try {
    return await readBytes(response.body ?? [], maxBytes)
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

async function readBytes(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number) {
  const chunks: Uint8Array[] = []
  let left = maxBytes
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, left))
    if (chunk.length > left) return { text: Buffer.concat(chunks).toString('utf8'), isCut: true }
    left -= chunk.length
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isCut: false }
}
