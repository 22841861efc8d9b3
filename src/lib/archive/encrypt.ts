import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto'
import { Transform } from 'node:stream'
import { Decrypter, Encrypter } from 'age-encryption'
import { freeBuffer } from '../memory/free-buffer.ts'

/** The way into an archive: a passphrase, or the public keys (`age1…`) of those who may open it. */
export type Lock = { readonly passphrase: string } | { readonly publicKeys: readonly string[] }
/** A passphrase, or the private key (`AGE-SECRET-KEY-1…`) of a public one. */
export type Key = { readonly passphrase: string } | { readonly privateKey: string }

export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged'
}

export class WrongKey extends Error {
  override readonly name = 'WrongKey'
  /** The kind of key that opens the archive, by its header. */
  readonly opensBy: 'passphrase' | 'private key'

  constructor(message: string, opensBy: WrongKey['opensBy'], cause: unknown) {
    super(message, { cause })
    this.opensBy = opensBy
  }
}

const NONCE_BYTES = 16
const TAG_BYTES = 16
const CHUNK_BYTES = 64 * 1024
/** Encrypted bytes that may wait for the disk or the network. */
const IN_FLIGHT_BYTES = 256 * 1024
/** 128 MB and about a second to try a passphrase. */
const PASSPHRASE_COST = 17
const CIPHER = 'chacha20-poly1305'
/** A header has a line per key. This is room for several hundred of them. */
const MAX_HEADER_BYTES = 64 * 1024
const END_OF_HEADER = /\n--- [A-Za-z0-9+/]+\n/

/**
 * Encrypts a stream as a file of the age format, which the program `age` opens too. The library writes the header. The
 * content is encrypted by Node's own cipher, because the library's takes ten times as long and more memory. Frees the
 * buffers that are written to it.
 */
export async function encryptStream(lock: Lock): Promise<Transform> {
  const { head, fileKey } = await writeHead(lock)
  const cipher = chunkCipher(fileKey, head.subarray(-NONCE_BYTES))
  // The last chunk, which may be full, is sealed differently, so a chunk waits until there are bytes behind it.
  const waiting = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  let filled = 0
  const add = (bytes: Buffer): Buffer[] => {
    const sealed: Buffer[] = []
    let rest = bytes
    while (filled + rest.length > CHUNK_BYTES) {
      const size = CHUNK_BYTES - filled
      if (filled > 0) rest.copy(waiting, filled, 0, size)
      sealed.push(...cipher.encrypt(filled > 0 ? waiting : rest.subarray(0, size), false))
      rest = rest.subarray(size)
      filled = 0
    }
    filled += rest.copy(waiting, filled)
    return sealed
  }
  return new Transform({
    readableHighWaterMark: IN_FLIGHT_BYTES,
    writableHighWaterMark: IN_FLIGHT_BYTES,
    construct(callback) {
      this.push(head)
      callback()
    },
    transform(bytes: Buffer, _encoding, callback) {
      const sealed = add(bytes)
      freeBuffer(bytes)
      if (sealed.length > 0) this.push(joinAndFree(sealed))
      callback()
    },
    flush(callback) {
      this.push(joinAndFree(cipher.encrypt(waiting.subarray(0, filled), true)))
      callback()
    },
  })
}

/** Joins buffers into one that owns its memory, because a file takes one large buffer faster than many. */
function joinAndFree(buffers: readonly Buffer[]): Buffer {
  const joined = Buffer.allocUnsafeSlow(buffers.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const each of buffers) {
    at += each.copy(joined, at)
    freeBuffer(each)
  }
  return joined
}

/** Returns the header and the nonce of a new file, and its key. */
async function writeHead(lock: Lock): Promise<{ head: Buffer; fileKey: Uint8Array }> {
  const encrypter = new Encrypter()
  let fileKey: Uint8Array | undefined
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase)
    encrypter.setScryptWorkFactor(PASSPHRASE_COST)
  } else {
    for (const key of lock.publicKeys) encrypter.addRecipient(key)
    // A recipient that adds nothing to the header. The library shows the key of a file to recipients only.
    encrypter.addRecipient({
      wrapFileKey: (key) => {
        fileKey = Uint8Array.from(key)
        return []
      },
    })
  }
  const empty = Buffer.from(await encrypter.encrypt(new Uint8Array()))
  const head = empty.subarray(0, -TAG_BYTES)
  return { head, fileKey: fileKey ?? (await openHeader(head.subarray(0, -NONCE_BYTES), keyOf(lock))) }
}

function keyOf(lock: Lock): Key {
  if ('passphrase' in lock) return lock
  throw new Error('an archive needs a public key')
}

/** Decrypts what `encryptStream` wrote. Fails with WrongKey, or with ArchiveDamaged at the first changed byte. */
export function decryptStream(key: Key): Transform {
  const chunks = createChunks(CHUNK_BYTES + TAG_BYTES)
  let head: Buffer | undefined = Buffer.alloc(0)
  let cipher: ReturnType<typeof chunkCipher> | undefined
  const readHead = async (bytes: Buffer): Promise<Buffer | undefined> => {
    head = Buffer.concat([head!, bytes])
    const end = END_OF_HEADER.exec(head.toString('latin1', 0, MAX_HEADER_BYTES))
    const size = end ? end.index + end[0].length : undefined
    if (size === undefined && head.length > MAX_HEADER_BYTES) throw new ArchiveDamaged('it is no backup of svc')
    if (size === undefined || head.length < size + NONCE_BYTES) return undefined
    const fileKey = await openHeader(head.subarray(0, size), key)
    cipher = chunkCipher(fileKey, head.subarray(size, size + NONCE_BYTES))
    const rest = head.subarray(size + NONCE_BYTES)
    head = undefined
    return rest
  }
  const read = async (stream: Transform, bytes: Buffer) => {
    const content = cipher ? bytes : await readHead(bytes)
    if (content) for (const chunk of chunks.add(content)) stream.push(cipher!.decrypt(chunk, false))
  }
  return new Transform({
    transform(bytes: Buffer, _encoding, callback) {
      read(this, bytes).then(() => callback(), callback)
    },
    flush(callback) {
      try {
        if (!cipher) throw new ArchiveDamaged('it ends within its header')
        this.push(cipher.decrypt(chunks.rest(), true))
        callback()
      } catch (error) {
        callback(error as Error)
      }
    },
  })
}

async function openHeader(header: Uint8Array, key: Key): Promise<Uint8Array> {
  const decrypter = new Decrypter()
  if ('passphrase' in key) decrypter.addPassphrase(key.passphrase)
  else decrypter.addIdentity(key.privateKey)
  try {
    return await decrypter.decryptHeader(header)
  } catch (cause) {
    if (cause instanceof Error && /no identity matched/.test(cause.message)) {
      throw wrongKey(header, key, cause)
    }
    throw new ArchiveDamaged('its header cannot be read', { cause })
  }
}

/** https://age-encryption.org/v1: the header of an archive with a passphrase has one stanza, of the type `scrypt`. */
function wrongKey(header: Uint8Array, key: Key, cause: unknown): WrongKey {
  const opensBy = Buffer.from(header).includes('\n-> scrypt ') ? 'passphrase' : 'private key'
  if (opensBy === 'private key' && 'passphrase' in key) {
    return new WrongKey('it was made for a public key, and a passphrase does not open it', opensBy, cause)
  }
  if (opensBy === 'passphrase' && 'privateKey' in key) {
    return new WrongKey('it was made with a passphrase, and a private key does not open it', opensBy, cause)
  }
  return new WrongKey(`it was not made for this ${opensBy}`, opensBy, cause)
}

/** Each chunk has a nonce of its number and of whether it is the last one, so none can be moved, repeated or left out. */
function chunkCipher(fileKey: Uint8Array, nonceOfFile: Uint8Array) {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', fileKey, nonceOfFile, 'payload', 32)))
  let number = 0n
  const nextNonce = (isLast: boolean) => {
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64BE(number++, 3)
    nonce[11] = isLast ? 1 : 0
    return nonce
  }
  const options = { authTagLength: TAG_BYTES }
  return {
    /** Returns the parts of a sealed chunk, which are not joined because that would copy them. */
    encrypt(chunk: Buffer, isLast: boolean): Buffer[] {
      const cipher = createCipheriv(CIPHER, key, nextNonce(isLast), options)
      return [cipher.update(chunk), cipher.final(), cipher.getAuthTag()].filter(({ length }) => length > 0)
    },
    decrypt(chunk: Buffer, isLast: boolean): Buffer {
      if (chunk.length < TAG_BYTES || (chunk.length === TAG_BYTES && number > 0n)) {
        throw new ArchiveDamaged('it is cut off')
      }
      const decipher = createDecipheriv(CIPHER, key, nextNonce(isLast), options)
      decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()])
      } catch (cause) {
        throw new ArchiveDamaged('its content was changed or is cut off', { cause })
      }
    },
  }
}

/** Cuts a stream into chunks of one size. The last one, which may be full, is returned by `rest` only. */
function createChunks(size: number) {
  let waiting: Buffer[] = []
  let bytes = 0
  return {
    *add(more: Buffer): Generator<Buffer> {
      let rest = more
      while (bytes + rest.length > size) {
        const head = rest.subarray(0, size - bytes)
        rest = rest.subarray(size - bytes)
        const chunk = waiting.length === 0 ? head : Buffer.concat([...waiting, head])
        waiting = []
        bytes = 0
        yield chunk
      }
      waiting.push(rest)
      bytes += rest.length
    },
    rest: () => Buffer.concat(waiting),
  }
}
