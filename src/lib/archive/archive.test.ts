import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { expect, it } from 'vitest'
import type { Lock } from './encrypt.ts'
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

it('OP-05 a passphrase opens what it closed, and no other', async () => {
  const bytes = await makeArchive({ a: 'secret' }, { passphrase: 'correct horse' })
  expect((await read(bytes, { passphrase: 'correct horse' })).found.get('a')).toBe('secret')
  await expect(read(bytes, { passphrase: 'wrong' })).rejects.toThrow('it was not made for this key or passphrase')
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
