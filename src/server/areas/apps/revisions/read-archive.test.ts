import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { expect, it } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { tarHeader, tarOf } from '#test/tar.ts'
import { readArchive } from './read-archive.ts'

const MIB = 1024 * 1024

function* files(count: number, size: number): Generator<Buffer> {
  for (let n = 0; n < count; n++) {
    yield tarHeader({ name: `f${n}`, size })
    for (let sent = 0; sent < size; sent += MIB) yield Buffer.alloc(MIB)
  }
  yield Buffer.alloc(1024)
}

async function readAll(chunks: Iterable<Buffer>): Promise<string[]> {
  const bytes = Readable.from(chunks).pipe(createGzip({ level: 1 }))
  const paths: string[] = []
  for await (const { path } of readArchive({ bytes, isGzip: true }, () => undefined)) paths.push(path)
  return paths
}

it('MA-15 files that are small when compressed are refused at the limit of a revision', async () => {
  await expect(readAll(files(9, 16 * MIB))).rejects.toMatchObject({
    code: 'INVALID_REVISION',
    errors: [{ path: 'f8', message: 'the files must have at most 134217728 bytes in all' }],
  })
})

it.each([
  ['folders', tarHeader({ name: 'a/', type: '5' })],
  [
    'global headers',
    Buffer.concat([tarHeader({ name: 'g', type: 'g', size: 15 }), Buffer.from('15 comment=abc\n'), Buffer.alloc(497)]),
  ],
])('MA-15 %s without end are refused', async (_, block) => {
  function* blocks(): Generator<Buffer> {
    for (;;) yield block
  }
  await expect(readAll(blocks())).rejects.toMatchObject({
    errors: [{ path: 'archive', message: 'has more than 40000 headers' }],
  })
})

it('MA-15 extended headers that decompress to more than an archive may have are refused', async () => {
  function* headers(): Generator<Buffer> {
    for (;;) yield* [tarHeader({ name: 'K', type: 'K', size: 256 * 1024 }), Buffer.alloc(256 * 1024)]
  }
  await expect(readAll(headers())).rejects.toMatchObject({
    errors: [{ path: 'archive', message: 'decompresses to more than 175177728 bytes' }],
  })
})

it('MA-15 a refusal of the body is passed on, and the source is closed', async () => {
  let isClosed = false
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield tarOf([{ name: 'a' }]).subarray(0, 512)
      throw new ServiceError('PAYLOAD_TOO_LARGE', 'too large')
    } finally {
      isClosed = true
    }
  }
  const reading = Array.fromAsync(readArchive({ bytes: body(), isGzip: false }, () => undefined))
  await expect(reading).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  expect(isClosed).toBe(true)
})
