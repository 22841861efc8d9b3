import type { Readable } from 'node:stream'

/**
 * Calls back with each line of a stream. A line over `maxBytes` is told once, and nothing after it is read. `rest` is the
 * start of the first line. Returns what gives the bytes after the last line.
 */
export function receiveLines(
  stream: Readable,
  maxBytes: number,
  { onLine, onTooLong }: { onLine: (line: string) => void; onTooLong: () => void },
  rest: Buffer = Buffer.alloc(0),
): () => Buffer {
  let parts: Buffer[] = [rest]
  let size = rest.length
  const onData = (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8')
      parts = []
      size = 0
      start = end + 1
      onLine(line)
    }
    parts.push(chunk.subarray(start))
    size += chunk.length - start
    if (size <= maxBytes) return
    stream.off('data', onData).resume()
    onTooLong()
  }
  stream.on('error', () => {}).on('data', onData)
  return () => Buffer.concat(parts)
}
