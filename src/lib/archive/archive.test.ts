import { hash, randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { constants, zstdCompressSync } from 'node:zlib'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { pack } from 'tar-stream'
import { expect, it } from 'vitest'
import { encryptStream, type Lock } from './encrypt.ts'
import { readArchive } from './read-archive.ts'
import { createArchive } from './write-archive.ts'

const privateKey = await generateX25519Identity()
const publicKey = await identityToRecipient(privateKey)

async function makeArchive(parts: Record<string, Buffer | string>, lock: Lock = { publicKeys: [publicKey] }) {
  const to = new PassThrough()
  const bytes = buffer(to)
  const archive = await createArchive(to, lock)
  for (const [name, content] of Object.entries(parts)) {
    await archive.write(name, typeof content === 'string' ? content : Readable.from([content]))
  }
  await archive.end({ maker: 'test' })
  return bytes
}

/** Writes files as they are, so that a test can make archives that this version would not write. */
async function makeArchiveOf(files: Record<string, Buffer>) {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, content)
  tar.finalize()
  return buffer(tar.pipe(await encryptStream({ publicKeys: [publicKey] })))
}

async function read(bytes: Buffer, key: Parameters<typeof readArchive>[1] = { privateKey }) {
  const found = new Map<string, string>()
  const list = await readArchive(Readable.from([bytes]), key, async ({ name, content }) => {
    found.set(name, await text(content))
  })
  return { found, list }
}

it('OP-05 an archive is read back part by part, also one that is larger than a piece', async () => {
  const large = Buffer.alloc(3_000_000, 'abc')
  const { found, list } = await read(await makeArchive({ 'a/head': 'first', large, empty: '' }))
  expect([...found.keys()]).toEqual(['a/head', 'large', 'empty'])
  expect([found.get('a/head'), found.get('large')?.length, found.get('empty')]).toEqual(['first', 3_000_000, ''])
  expect(list).toMatchObject({
    maker: 'test',
    parts: [{ name: 'a/head', bytes: 5 }, { bytes: 3_000_000 }, { bytes: 0 }],
  })
})

it('OP-05 an archive of the first form, whose digests are of the contents, is read and checked', async () => {
  const content = Buffer.from('first')
  const listing = (sha256: string) =>
    zstdCompressSync(JSON.stringify({ maker: 'test', parts: [{ name: 'a', bytes: 5, sha256 }], abandoned: [] }))
  const files = { 'a/000001': zstdCompressSync(content) }
  const good = await makeArchiveOf({ ...files, 'manifest.json/000001': listing(hash('sha256', content)) })
  expect((await read(good)).found.get('a')).toBe('first')
  const bad = await makeArchiveOf({ ...files, 'manifest.json/000001': listing(hash('sha256', 'other')) })
  await expect(read(bad)).rejects.toThrow('its parts are not those of its list')
})

it('OP-05 a content that was compressed wrongly is found, though it is stored as it was compressed', async () => {
  const content = randomBytes(1_000)
  const stored = zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  stored[500]! ^= 1
  const part = { name: 'a', bytes: 1_000, stored_bytes: stored.length, stored_sha256: hash('sha256', stored) }
  const list = zstdCompressSync(JSON.stringify({ parts: [part], abandoned: [] }))
  const archive = await makeArchiveOf({ 'a/000001.zst': stored, 'manifest.json/000001.zst': list })
  await expect(read(archive)).rejects.toThrow(/checksum/i)
})

it('OP-05 each part that is written has a checksum of its content within', async () => {
  const decrypter = new Decrypter()
  decrypter.addIdentity(privateKey)
  const tar = Buffer.from(await decrypter.decrypt(await makeArchive({ a: 'x' })))
  // RFC 8878, section 3.1.1.1.1: the frame begins behind the header of the file, and bit 2 says that a checksum follows.
  expect([tar.readUInt32LE(512), tar[516]! & 4]).toEqual([0xfd2fb528, 4])
})

it('OP-05 a passphrase opens what it closed, and no other', async () => {
  const bytes = await makeArchive({ a: 'secret' }, { passphrase: 'correct horse' })
  expect((await read(bytes, { passphrase: 'correct horse' })).found.get('a')).toBe('secret')
  await expect(read(bytes, { passphrase: 'wrong' })).rejects.toThrow('it was not made for this passphrase')
  await expect(read(bytes)).rejects.toThrow('it was made with a passphrase, and a private key does not open it')
})

it('OP-05 the file is one of the age format, which other programs open', async () => {
  const decrypter = new Decrypter()
  decrypter.addIdentity(privateKey)
  const tar = Buffer.from(await decrypter.decrypt(await makeArchive({ a: 'x' })))
  expect(tar.toString('latin1', 0, 8)).toBe('a/000001')
})

it('OP-05 a changed byte anywhere is found, and so is an end that is missing', async () => {
  const bytes = await makeArchive({ a: 'one', b: Buffer.alloc(200_000, 'x'.repeat(7)) })
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 400)) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    await expect(read(changed), `byte ${at}`).rejects.toThrow()
    await expect(read(bytes.subarray(0, at)), `cut at ${at}`).rejects.toThrow()
  }
  await expect(read(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toThrow('changed or is cut off')
})

it('OP-05 what a reader throws ends the reading with its own error', async () => {
  const bytes = await makeArchive({ a: 'one', b: 'two' })
  const reading = readArchive(Readable.from([bytes]), { privateKey }, async () => {
    throw new Error('the disk is full')
  })
  await expect(reading).rejects.toThrow('the disk is full')
})

it('OP-05 a part whose source fails is abandoned, and the others can be read', async () => {
  const to = new PassThrough()
  const bytes = buffer(to)
  const archive = await createArchive(to, { publicKeys: [publicKey] })
  const failing = Readable.from(
    (async function* () {
      for (let piece = 0; piece < 40; piece++) yield randomBytes(100_000)
      throw new Error('the table is locked')
    })(),
  )
  await expect(archive.write('bad', failing)).rejects.toThrow('the table is locked')
  await archive.write('good', 'content')
  await archive.end({})
  const found: string[] = []
  const list = await readArchive(Readable.from([await bytes]), { privateKey }, async ({ name, content }) => {
    if (name === 'good') found.push(await text(content))
  })
  expect([found, list.abandoned]).toEqual([['content'], ['bad']])
})
