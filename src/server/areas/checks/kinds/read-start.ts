/** Reads at most `maxBytes` of a body as text and gives the rest up. */
export async function readStart(response: Response, maxBytes: number): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let left = maxBytes
  let isCut = false
  if (response.body) {
    for await (const chunk of response.body) {
      chunks.push(chunk.subarray(0, left))
      isCut = chunk.length > left
      left -= Math.min(chunk.length, left)
      if (isCut) break
    }
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isCut }
}
