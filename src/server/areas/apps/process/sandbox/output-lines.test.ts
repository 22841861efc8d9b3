import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { SharedLogRate } from '../../logs/log-rate.ts'
import { followLines } from './output-lines.ts'

/** Each chunk comes a second after the one before. */
const rate = () => {
  let now = 0
  return new SharedLogRate(() => (now += 1000)).ofStream('app_1')
}

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const lines: string[] = []
  const stream = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: true },
  )
  await followLines(stream, { onLine: (line) => lines.push(line), rate: rate() }).ended
  return lines
}

describe('lines of a process', () => {
  it('MA-15 are whole, however their bytes arrive', async () => {
    expect(await linesOf('a', 'b\nc\r\n', '\n', Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a]), 'end')).toEqual([
      'ab',
      'c',
      '',
      'é',
      'end',
    ])
  })

  it('MA-15 longer than 64 KiB come in parts, with a line end or without', async () => {
    const long = 'x'.repeat(64 * 1024)
    expect(await linesOf(`${long}${long}yz\nnext\n`)).toEqual([long, long, 'yz', 'next'])
    expect(await linesOf(long, long, 'yz')).toEqual([long, long, 'yz'])
  })

  it.each([
    ['long', Buffer.alloc(5 * 1024 * 1024, 'x'), 1],
    ['many and empty', Buffer.alloc(64 * 1024, '\n'), 8],
  ])('MA-15 that are %s make their writer wait', async (_what, bytes, seconds) => {
    const pauses: number[] = []
    const pause = async (ms: number) => void pauses.push(ms)
    await followLines(Readable.from([bytes, Buffer.from('end')]), { onLine: () => {}, rate: rate(), pause }).ended
    expect(pauses.map((ms) => Math.floor(ms / 1000))).toEqual([seconds])
  })

  it('OP-07 are whole when another reader goes on with what the first one took', async () => {
    const stream = new PassThrough()
    const [first, second]: string[][] = [[], []]
    const reading = followLines(stream, { onLine: (line) => first!.push(line), rate: rate() })
    stream.write('one\ntw')
    await until(() => first!.length > 0)
    const rest = reading.rest()
    const next = new PassThrough()
    const { ended } = followLines(next, { onLine: (line) => second!.push(line), rate: rate(), rest })
    next.end('o\nthree')
    await ended
    expect([first, second]).toEqual([['one'], ['two', 'three']])
  })

  it('MA-15 in a usual amount pass without a pause', async () => {
    const pauses: number[] = []
    const bytes = Buffer.from('a line of a log\n'.repeat(5_000))
    const pause = async (ms: number) => void pauses.push(ms)
    await followLines(Readable.from([bytes]), { onLine: () => {}, rate: rate(), pause }).ended
    expect(pauses).toEqual([])
  })
})
