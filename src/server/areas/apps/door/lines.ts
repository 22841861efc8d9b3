import type { Readable } from 'node:stream'

/** Calls back with each line of a stream. A line over `maxBytes` is told once, and nothing after it is read. */
export function receiveLines(
  stream: Readable,
  maxBytes: number,
  { onLine, onTooLong }: { onLine: (line: string) => void; onTooLong: () => void },
): void {
  let parts: Buffer[] = []
  let size = 0
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
}
