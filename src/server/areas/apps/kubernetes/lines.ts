/**
 * Splits a stream into lines without their ends. A line over `maxBytes` comes in parts, each with `isWhole` false but the
 * last, so that memory is bounded.
 */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<{ text: string; isWhole: boolean }> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of body) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a, start)) {
      yield { text: rest.toString('utf8', start, end), isWhole: true }
      start = end + 1
    }
    rest = rest.subarray(start)
    for (; rest.length > maxBytes; rest = rest.subarray(maxBytes)) {
      yield { text: rest.toString('utf8', 0, maxBytes), isWhole: false }
    }
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), isWhole: true }
}
