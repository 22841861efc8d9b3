import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSse } from './sse.ts'

async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}
const read = (...chunks: (string | Uint8Array)[]) => Array.fromAsync(readSse(chunksOf(...chunks)))

describe('DS-24 server-sent events', () => {
  it.each<[string, string, string[]]>([
    ['one event', 'data: a\n\n', ['a']],
    ['no space after the colon', 'data:a\n\n', ['a']],
    ['one of two spaces belongs to the data', 'data:  a\n\n', [' a']],
    ['several lines of data', 'data: a\ndata: b\n\n', ['a\nb']],
    ['a field without a colon', 'data\n\n', ['']],
    ['comments and other fields', ': ping\nevent: x\nid: 1\nretry: 3\ndata: a\n\n', ['a']],
    ['events without data', 'event: x\n\n: ping\n\n\n\ndata: a\n\n', ['a']],
    ['a field whose name only begins so', 'dataset: a\n\n', []],
    ['returns', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['returns and line feeds', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
    ['an event that is cut off', 'data: a\n\ndata: b\n', ['a']],
    ['nothing', '', []],
  ])('%s', async (_, text, expected) => {
    expect(await read(text)).toEqual(expected)
  })

  it('are the same wherever the borders between chunks are', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n\ufeff]/g, 'é'))
    const event = fc.record({ data: fc.array(line, { minLength: 1, maxLength: 3 }), comment: line, end: endings() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        async (events, cuts) => {
          const text = events
            .map(({ data, comment, end }) => [`:${comment}`, ...data.map((one) => `data: ${one}`), '', ''].join(end))
            .join('')
          const expected = events.map(({ data }) => data.join('\n'))
          expect(await read(...cutAt(Buffer.from(text), cuts))).toEqual(expected)
        },
      ),
    )
  })

  it('bytes that are not UTF-8 are refused', async () => {
    await expect(read(Buffer.from([0x64, 0xff, 0x0a]))).rejects.toThrow(TypeError)
    await expect(read('data: a\n\n', Buffer.from([0xc3]))).rejects.toThrow(TypeError)
  })

  it('an event without end is refused before it fills the memory', async () => {
    const part = 'x'.repeat(1024 * 1024)
    await expect(read('data: ', part, part, part, part)).rejects.toThrow(RangeError)
    const lines = `data: ${part}\n`
    await expect(read(lines, lines, lines, lines)).rejects.toThrow(RangeError)
  })
})

function endings() {
  return fc.constantFrom('\n', '\r\n', '\r')
}

/** Cuts the bytes at these places, also inside of characters and line ends. */
function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}
