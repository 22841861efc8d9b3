import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { orAborted } from '../async/race.ts'
import { encryptStream, type Lock } from './encrypt.ts'
import { createDigest, LIST, type Part } from './part.ts'

export type ArchiveWriter = {
  /** Writes a content of unknown length. If it fails, the archive names the part as abandoned and can be continued. */
  write(name: string, content: Readable | string): Promise<Part>
  /** Writes the list of all parts, with what else belongs to it, and the end of the archive. */
  end(list: object): Promise<void>
}

/** Contents are cut into files of this size, because a tar file has the length of each before its bytes. */
const PIECE_BYTES = 1024 * 1024
// Faster than a disk, and a dump shrinks to half already. Chunks are large because each is a job for another thread.
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 256 * 1024 }

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
  const digest = createDigest()
  let number = 0
  const put = async (piece: readonly Buffer[]) => {
    number += 1
    const size = piece.reduce((sum, chunk) => sum + chunk.length, 0)
    const header = { name: `${name}/${String(number).padStart(6, '0')}`, size, mtime: new Date(0), mode: 0o600 }
    await pipeline(Readable.from(piece), tar.entry(header))
  }
  const source = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content
  await pipeline(source, digest.through, createZstdCompress(COMPRESSION), async (compressed: AsyncIterable<Buffer>) => {
    for await (const piece of piecesOf(compressed)) await put(piece)
  })
  return { name, ...digest.result() }
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
