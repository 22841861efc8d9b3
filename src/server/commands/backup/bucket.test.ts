import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FakeS3, startFakeS3 } from '#test/outside/fake-s3.ts'
import { openBucket } from './bucket.ts'

const MB = 1024 * 1024
/** An upload has parts of 16 MB, so this has two whole ones. */
const PIECES = Array.from({ length: 32 }, () => randomBytes(MB))
const CONTENT = Buffer.concat(PIECES)
const ADDRESS = 's3://backups/monday/one.age'

/** A place frees the buffers that are written to it. */
const copies = () => PIECES.map((piece) => Buffer.from(piece))

describe('OP-05 a backup in S3', () => {
  let fake: FakeS3
  beforeAll(async () => {
    fake = await startFakeS3()
  })
  afterAll(() => fake[Symbol.asyncDispose]())
  beforeEach(() => {
    fake.objects.clear()
    fake.requests.length = 0
    fake.breaks.length = 0
    fake.pageKeys = 1_000
    fake.ignoresRanges = false
  })

  const bucket = (env = {}) => openBucket(ADDRESS, { ...fake.env, ...env }, 1)
  const upload = async () => {
    const place = await bucket().create()
    try {
      await pipeline(copies(), place.to)
      await place.finish()
    } catch (error) {
      await place.abandon()
      throw error
    }
  }

  it('OP-05 is uploaded in parts, has its name at the end only, and is read, listed and removed', async () => {
    const place = await bucket().create()
    await pipeline(copies(), place.to)
    expect(fake.objects.size).toBe(0)
    await place.finish()
    expect(fake.requests).toEqual(['begin', 'part', 'part', 'complete'])
    expect((await buffer(await bucket().read())).equals(CONTENT)).toBe(true)
    expect(await openBucket('s3://backups/monday/', fake.env).list()).toEqual([ADDRESS])
    await bucket().remove()
    expect(fake.objects.size).toBe(0)
    await expect(bucket().read()).rejects.toThrow(`${ADDRESS}: the storage answers 404 (NoSuchKey).`)
  })

  it('OP-05 a request that the storage fails to answer is repeated', async () => {
    fake.faults.push({ operation: 'part', status: 500 })
    await upload()
    expect(fake.requests).toEqual(['begin', 'part', 'part', 'part', 'complete'])
    expect(fake.objects.get('backups/monday/one.age')?.equals(CONTENT)).toBe(true)
  })

  it('OP-05 a refused upload is abandoned, also if the refusal comes with the status 200', async () => {
    fake.faults.push({ operation: 'part', status: 403 })
    await expect(upload()).rejects.toThrow(`${ADDRESS}: the storage answers 403 (AccessDenied).`)
    fake.faults.push({ operation: 'complete', status: 200 })
    await expect(upload()).rejects.toThrow('The storage did not finish the upload (InternalError).')
    expect([fake.uploads.size, fake.objects.size]).toEqual([0, 0])
  })

  it('OP-05 a download that breaks goes on at the byte where it ended, however often, and nothing is read twice', async () => {
    fake.objects.set('backups/monday/one.age', CONTENT)
    fake.breaks.push(0, 3 * MB, 1, 1, 1, 1, 5 * MB)
    expect((await buffer(await bucket().read())).equals(CONTENT)).toBe(true)
    expect(fake.requests).toHaveLength(8)
  })

  it('OP-05 a download is given up after five breaks in a row without another byte', async () => {
    fake.objects.set('backups/monday/one.age', CONTENT)
    fake.breaks.push(MB, 0, 0, 0, 0, 0)
    await expect(buffer(await bucket().read())).rejects.toThrow(
      `${ADDRESS}: the download broke off at byte ${MB}. Try again.`,
    )
  })

  it('OP-05 a download is not continued with the bytes of another object', async () => {
    fake.objects.set('backups/monday/one.age', CONTENT)
    fake.breaks.push(MB)
    const stream = await bucket().read()
    fake.objects.set('backups/monday/one.age', Buffer.from('another'))
    await expect(buffer(stream)).rejects.toThrow(`${ADDRESS}: the storage answers 412 (PreconditionFailed).`)
  })

  it('OP-05 a download from a storage that begins again at the first byte is refused', async () => {
    fake.objects.set('backups/monday/one.age', CONTENT)
    fake.ignoresRanges = true
    fake.breaks.push(MB)
    await expect(buffer(await bucket().read())).rejects.toThrow(
      `${ADDRESS}: the storage does not continue a download that broke off. Try again.`,
    )
  })

  it('OP-05 a list has the keys of all pages', async () => {
    fake.pageKeys = 2
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) fake.objects.set(`backups/monday/${name}.age`, Buffer.from(name))
    fake.objects.set('backups/tuesday/f.age', Buffer.from('f'))
    expect(await openBucket('s3://backups/monday/', fake.env).list()).toEqual(
      names.map((name) => `s3://backups/monday/${name}.age`),
    )
    expect(fake.requests).toEqual(['list', 'list', 'list'])
  })

  it('OP-05 missing and wrong credentials are refused with the reason', async () => {
    expect(() => openBucket(ADDRESS, {})).toThrow('needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
    await expect(bucket({ AWS_SECRET_ACCESS_KEY: 'wrong' }).create()).rejects.toThrow(
      `${ADDRESS}: the storage answers 403 (SignatureDoesNotMatch).`,
    )
  })
})
