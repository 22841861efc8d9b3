import { MAX_REVISION_FILES } from '#contract/apps/revisions.ts'
import type { ByteReader } from './byte-reader.ts'
import { BLOCK_BYTES, isZeroBlock, readHeader, TarFault, type TarHeader, untilNul } from './header.ts'
import { type PaxChanges, readPax } from './pax.ts'

/** A file or folder of an archive. Other entries are refused. `read` returns the content; what is not read is skipped. */
export type TarEntry = {
  readonly path: string
  readonly kind: 'file' | 'directory'
  readonly executable: boolean
  readonly size: number
  readonly read: () => Promise<Buffer>
}

/** Extended headers hold a path and small attributes. */
const MAX_EXTENDED_HEADER_BYTES = 256 * 1024
/** Programs fill the last record with zeros. The largest record of GNU tar has 1 MiB. */
const MAX_PADDING_BYTES = 1024 * 1024

/** For the largest revision with a folder for each file, and an extended header for each of both. */
const MAX_HEADERS = 4 * MAX_REVISION_FILES

const REFUSED_TYPES: Readonly<Record<string, string>> = {
  '1': 'is a hard link; links are not supported',
  '2': 'is a symbolic link; links are not supported',
  '3': 'is a device file; only files and folders are supported',
  '4': 'is a device file; only files and folders are supported',
  '6': 'is a FIFO; only files and folders are supported',
  S: 'is a sparse file, which is not supported',
}

/**
 * Yields the entries of a tar archive as its bytes arrive. Strict where readers differ in how they understand an
 * archive: names that are not UTF-8, sizes and headers that are repeated or damaged, and data after the end throw a
 * TarFault. Holds one header at a time; how much of the content is held is up to the caller.
 */
export async function* readTar(bytes: ByteReader): AsyncGenerator<TarEntry> {
  const nextHeader = headerReader(bytes)
  for (;;) {
    const found = await readEntryHeader(bytes, nextHeader)
    if (!found) return
    const entry = toEntry(found)
    let isRead = false
    const read = async () => {
      isRead = true
      return readContent(bytes, entry.path, entry.size)
    }
    yield { ...entry, read }
    if (!isRead && !(await bytes.skip(padded(entry.size)))) throw cutOff(entry.path)
  }
}

/** Reads the next header with the extended headers before it. Returns undefined at the end of the archive. */
async function readEntryHeader(bytes: ByteReader, nextHeader: NextHeader): Promise<TarHeader | undefined> {
  let longName: Buffer | undefined
  let pax: PaxChanges | undefined
  for (;;) {
    const header = await nextHeader()
    if (!header) {
      if (longName || pax) throw new TarFault('ends after an extended header')
      return undefined
    }
    const { type } = header
    if (type === 'x') pax = onlyOnce(pax, readPax(await readExtended(bytes, header)))
    else if (type === 'L') longName = onlyOnce(longName, untilNul(await readExtended(bytes, header)))
    else if (type === 'g') refuseGlobalChanges(readPax(await readExtended(bytes, header)))
    else if (type === 'K') await readExtended(bytes, header)
    else {
      const name = onlyOnce(longName, pax?.path) ?? longName ?? header.name
      return { ...header, name, size: pax?.size ?? header.size }
    }
  }
}

/** Two names for one entry are understood differently by different programs. */
function onlyOnce<T>(before: unknown, value: T): T {
  if (before !== undefined && value !== undefined) throw new TarFault('names an entry twice in its extended headers')
  return value
}

function refuseGlobalChanges({ path, size }: PaxChanges): void {
  if (path || size !== undefined) throw new TarFault('gives one path or size to all entries')
}

type NextHeader = () => Promise<TarHeader | undefined>

/** Creates the function that reads the next header block. It returns undefined at the end mark. */
function headerReader(bytes: ByteReader): NextHeader {
  let count = 0
  return async () => {
    const block = await bytes.read(BLOCK_BYTES)
    if (block.length < BLOCK_BYTES) throw new TarFault('is cut off: it has no end mark')
    count += 1
    if (isZeroBlock(block)) return refuseTrailingData(bytes)
    if (count > MAX_HEADERS) throw new TarFault(`has more than ${MAX_HEADERS} headers`)
    return readHeader(block)
  }
}

/** Reads to the end of the stream, because a client that is still sending would not see the answer. */
async function refuseTrailingData(bytes: ByteReader): Promise<undefined> {
  for (let length = 0; ; ) {
    const rest = await bytes.take(BLOCK_BYTES * 128)
    if (rest.length === 0) return undefined
    length += rest.length
    if (length > MAX_PADDING_BYTES || !isZeroBlock(rest)) throw new TarFault('has data after its end mark')
  }
}

async function readExtended(bytes: ByteReader, { size }: TarHeader): Promise<Buffer> {
  if (size > MAX_EXTENDED_HEADER_BYTES) {
    throw new TarFault(`has an extended header over ${MAX_EXTENDED_HEADER_BYTES} bytes`)
  }
  return readContent(bytes, undefined, size)
}

async function readContent(bytes: ByteReader, path: string | undefined, size: number): Promise<Buffer> {
  const content = await bytes.read(size)
  if (content.length < size || !(await bytes.skip(padded(size) - size))) throw cutOff(path)
  return content
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
}

function cutOff(path: string | undefined): TarFault {
  return new TarFault('is cut off', path)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function toEntry({ name, type, size, mode }: TarHeader): Omit<TarEntry, 'read'> {
  const path = decode(name)
  const refusal = REFUSED_TYPES[type]
  if (refusal !== undefined) throw new TarFault(refusal, path)
  if (type !== '0' && type !== '\0' && type !== '5') {
    throw new TarFault('is of an unknown type; only files and folders are supported', path)
  }
  // Before the type for folders existed, they were files with a slash at the end.
  const kind = type === '5' || path.endsWith('/') ? 'directory' : 'file'
  if (kind === 'directory' && size > 0) throw new TarFault('is a folder with content', path)
  return { path: plain(path), kind, executable: (mode & 0o111) !== 0, size }
}

/** Removes what `tar -c .` puts around paths: `./` before and, for folders, `/` after. */
function plain(path: string): string {
  return path.replace(/^\.\//, '').replace(/\/$/, '')
}

function decode(name: Buffer): string {
  try {
    return utf8.decode(name)
  } catch {
    throw new TarFault('has a name that is not valid UTF-8', name.toString('latin1'))
  }
}
