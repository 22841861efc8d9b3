import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { orAborted } from '../async/race.ts'
import { releaseMemory } from '../memory/release-memory.ts'
import { writeInBlocks } from './blocks.ts'
import { encryptStream, type Lock } from './encrypt.ts'
import { createMeter, createPartHash, LIST, type Part, STORED_SUFFIX } from './part.ts'

export type ArchiveWriter = {
  /**
   * Writes a content of unknown length, and frees the memory of its buffers. If it fails, the archive names the part as
   * abandoned and can be continued.
   */
  write(name: string, content: Readable | string): Promise<Part>
  /** Writes the list of all parts, with what else belongs to it, and the end of the archive. */
  end(list: object): Promise<void>
}

/** Contents are cut into files of this size, because a tar file has the length of each before its bytes. */
const PIECE_BYTES = 1024 * 1024
/** After so many pieces the garbage of the streams is collected, which V8 would let grow to several times the heap. */
const PIECES_PER_COLLECTION = 128
const COMPRESSION = {
  params: {
    // Faster than a disk, and a dump shrinks to half already.
    [constants.ZSTD_c_compressionLevel]: 1,
    // The list has digests of the compressed content. This is how a reader finds that it was compressed wrongly.
    [constants.ZSTD_c_checksumFlag]: 1,
  },
  chunkSize: 256 * 1024,
  readableHighWaterMark: 256 * 1024,
  // `writeInBlocks` limits what waits.
  writableHighWaterMark: Number.MAX_SAFE_INTEGER,
}

/**
 * Writes an archive to `to`: a tar file, encrypted as a whole, whose parts are compressed. By hand it is opened with
 * `age --decrypt | tar --extract`, and a part is `cat <part>/* | zstd --decompress`.
 */
export async function createArchive(to: Writable, lock: Lock): Promise<ArchiveWriter> {
  const tar = pack()
  const done = pipeline(tar, await encryptStream(lock), to)
  const broken = new AbortController()
  done.catch((error: unknown) => broken.abort(error))
  const parts: Part[] = []
  const abandoned: string[] = []
  const write = async (name: string, content: Readable | string): Promise<Part> => {
    try {
      const part = await orAborted(writePart(tar, name, content), broken.signal)
      parts.push(part)
      return part
    } catch (error) {
      abandoned.push(name)
      throw error
    }
  }
  return {
    write,
    async end(list) {
      await write(LIST, JSON.stringify({ ...list, parts, abandoned }, null, 2))
      tar.finalize()
      await done
    },
  }
}

async function writePart(tar: Pack, name: string, content: Readable | string): Promise<Part> {
  const source = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content
  const meter = createMeter()
  const compress = createZstdCompress(COMPRESSION)
  const hash = createPartHash()
  let storedBytes = 0
  let number = 0
  const store = async (piece: readonly Buffer[]) => {
    number += 1
    const size = piece.reduce((sum, chunk) => sum + chunk.length, 0)
    const file = `${name}/${String(number).padStart(6, '0')}${STORED_SUFFIX}`
    for (const chunk of piece) hash.update(chunk)
    storedBytes += size
    await pipeline(Readable.from(piece), tar.entry({ name: file, size, mtime: new Date(0), mode: 0o600 }))
    if (number % PIECES_PER_COLLECTION === 0) releaseMemory()
  }
  const read = pipeline(source, meter.through, writeInBlocks(compress))
  const stored = pipeline(compress, async (compressed: AsyncIterable<Buffer>) => {
    for await (const piece of piecesOf(compressed)) await store(piece)
  })
  const [first, second] = await Promise.allSettled([read, stored])
  if (first.status === 'rejected') throw first.reason
  if (second.status === 'rejected') throw second.reason
  return { name, bytes: meter.bytes(), stored_bytes: storedBytes, stored_sha256: hash.digest('hex') }
}

async function* piecesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<readonly Buffer[]> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    waiting.push(chunk)
    bytes += chunk.length
    if (bytes < PIECE_BYTES) continue
    yield waiting
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield waiting
}
