/**
 * Headers that say whom a request is for, who sends it and how its body is read. Node takes the first of several, a
 * proxy before us may take the last. Node itself refuses a repeated Content-Length or Transfer-Encoding, and both.
 */
const SINGLE_HEADERS = ['host', 'authorization', 'content-type', 'content-encoding', 'origin'] as const
const LENGTHS = new Set<number>(SINGLE_HEADERS.map(({ length }) => length))

/** Returns the name of a header that may be sent once only and was sent again. `rawHeaders` has names and values in turn. */
export function findRepeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (!LENGTHS.has(name.length)) continue
    const index = SINGLE_HEADERS.indexOf(name.toLowerCase() as (typeof SINGLE_HEADERS)[number])
    if (index === -1) continue
    if (seen & (1 << index)) return SINGLE_HEADERS[index]
    seen |= 1 << index
  }
  return undefined
}
