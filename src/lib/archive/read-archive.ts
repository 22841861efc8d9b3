import { pipeline as pipe, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished, pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { type Entry, type Extract, extract } from 'tar-stream'
import { ArchiveDamaged, decryptStream, type Key } from './encrypt.ts'
import { createMeter, createPartHash, type FormerPart, LIST, type Part, STORED_SUFFIX } from './part.ts'

export type ReadPart = { readonly name: string; readonly content: Readable }

/**
 * Reads an archive and hands its parts to `take`, one after the other. What `take` leaves of a part is read to its end.
 * Returns the list at the end of the archive, once every part was found to be as the list says. Fails with WrongKey or
 * ArchiveDamaged.
 */
export async function readArchive(
  from: Readable,
  key: Key,
  take: (part: ReadPart) => Promise<void>,
): Promise<Record<string, unknown>> {
  const tar = extract()
  const decrypted = pipeline(from, decryptStream(key), tar)
  decrypted.catch(() => undefined)
  try {
    const list = await readParts(tar, take)
    await decrypted
    return list
  } catch (error) {
    from.destroy()
    tar.destroy()
    throw (await brokenBy(decrypted)) ?? error
  }
}

/** Returns why a stream broke by itself, which its reader sees only as an early end. */
async function brokenBy(stream: Promise<void>): Promise<unknown> {
  const error: unknown = await stream.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const isOurs = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
  return isOurs ? undefined : error
}

async function readParts(tar: Extract, take: (part: ReadPart) => Promise<void>): Promise<Record<string, unknown>> {
  const found: (Part | FormerPart)[] = []
  const unfinished: string[] = []
  let list: Record<string, unknown> | undefined
  for await (const part of partsOf(tar)) {
    if (list) throw new ArchiveDamaged('there is more behind its list')
    const { name } = part
    const { content, describe } = part.isFormer ? openFormerPart(part) : openPart(part)
    if (name === LIST) {
      list = JSON.parse(await text(content)) as Record<string, unknown>
      continue
    }
    await take({ name, content })
    content.resume()
    if (await isWhole(content)) found.push(describe())
    else unfinished.push(name)
  }
  if (!list) throw new ArchiveDamaged('its list is missing, so it was not finished')
  const { parts, abandoned } = list as { parts?: unknown; abandoned?: readonly string[] }
  const isKnown = unfinished.every((name) => abandoned?.includes(name))
  if (!isKnown || JSON.stringify(parts) !== JSON.stringify(found)) {
    throw new ArchiveDamaged('its parts are not those of its list')
  }
  return list
}

type StoredPart = { readonly name: string; readonly isFormer: boolean; readonly pieces: AsyncGenerator<Buffer> }
type OpenPart<T> = { readonly content: Readable; readonly describe: () => T }

function openPart({ name, pieces }: StoredPart): OpenPart<Part> {
  const hash = createPartHash()
  const [stored, plain] = [createMeter(hash), createMeter()]
  const content = pipe(Readable.from(pieces), stored.through, createZstdDecompress(), plain.through, () => undefined)
  const describe = () => ({
    name,
    bytes: plain.bytes(),
    stored_bytes: stored.bytes(),
    stored_sha256: hash.digest('hex'),
  })
  return { content, describe }
}

function openFormerPart({ name, pieces }: StoredPart): OpenPart<FormerPart> {
  const hash = createPartHash()
  const plain = createMeter(hash)
  const content = pipe(Readable.from(pieces), createZstdDecompress(), plain.through, () => undefined)
  return { content, describe: () => ({ name, bytes: plain.bytes(), sha256: hash.digest('hex') }) }
}

/** Reads a part to its end. Returns false for one whose compressed content has none, because its writer gave it up. */
async function isWhole(content: Readable): Promise<boolean> {
  try {
    await finished(content)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR') return false
    throw error
  }
}

/** Joins the files of each part. All pieces of a part must be read before the next part is asked for. */
async function* partsOf(tar: Extract): AsyncGenerator<StoredPart> {
  const entries: AsyncIterator<Entry> = tar[Symbol.asyncIterator]()
  let entry = await entries.next()
  while (!entry.done) {
    const name = partOf(entry.value)
    const isFormer = !entry.value.header.name.endsWith(STORED_SUFFIX)
    const pieces = async function* (): AsyncGenerator<Buffer> {
      while (!entry.done && partOf(entry.value) === name) {
        yield* entry.value as AsyncIterable<Buffer>
        entry = await entries.next()
      }
    }
    yield { name, isFormer, pieces: pieces() }
  }
}

function partOf({ header }: Entry): string {
  return header.name.slice(0, header.name.lastIndexOf('/'))
}
