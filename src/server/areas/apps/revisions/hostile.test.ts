import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listRevisions, uploadFiles, uploadRevision } from '#contract/apps/revisions.ts'
import { sql } from '#lib/db/sql.ts'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { type System, startSystem } from '#test/system.ts'
import { tarHeader, tarOf } from '#test/tar.ts'
import { until } from '#test/until.ts'

const MIB = 1024 * 1024

let system: System
let app: TestApp
beforeAll(async () => {
  system = await startSystem({ env: { SVC_REVISION_STORE_MB: '2' } })
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  app = await newApp(system)
})

/** Yields the chunks and counts the bytes that were asked for. */
function counted(chunks: Iterable<Uint8Array>) {
  const state = { bytes: 0 }
  async function* body() {
    for (const chunk of chunks) {
      state.bytes += chunk.byteLength
      yield chunk
    }
  }
  return { state, body: body() }
}

function* zeros(bytes: number): Generator<Uint8Array> {
  for (let sent = 0; sent < bytes; sent += MIB) yield Buffer.alloc(MIB)
}

function* manyFiles(count: number): Generator<Uint8Array> {
  for (let n = 0; n < count; n += 100) {
    yield Buffer.concat(Array.from({ length: 100 }, (_, m) => tarHeader({ name: `f${n + m}` })))
  }
}

const MEASURE_EVERY_MS = 5

/** The largest use of memory beside the heap of the engine while the work runs. */
async function peakBytes(work: Promise<unknown>): Promise<number> {
  let peak = 0
  const measure = () => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers)
  }
  const timer = setInterval(measure, MEASURE_EVERY_MS)
  await work.finally(() => clearInterval(timer))
  return peak
}

const sendTar = (body: AsyncIterable<Uint8Array>) => app.client.upload(uploadRevision, { alias: app.alias }, body)
const sendGzip = (body: AsyncIterable<Uint8Array>) =>
  app.client.upload(uploadRevision, { alias: app.alias }, body, { contentType: 'application/gzip' })

function* oneFile(name: string, size: number): Generator<Uint8Array> {
  yield tarHeader({ name, size })
  yield* zeros(size)
  yield Buffer.alloc(1024)
}

async function noRevision(): Promise<void> {
  expect((await app.client.call(listRevisions, { alias: app.alias })).items).toEqual([])
}

describe('hostile uploads', () => {
  it('MA-15 a file of 1 GB of zeros is refused at its header', async () => {
    const { state, body } = counted(oneFile('zeros', 1024 * MIB))
    await expect(sendTar(body)).rejects.toMatchObject({
      code: 'INVALID_REVISION',
      errors: [{ path: 'zeros', message: 'must have at most 16777216 bytes' }],
    })
    expect(state.bytes).toBeLessThan(64 * MIB)
    await noRevision()
  })

  it('MA-15 1 GB of zeros in 1 MB of gzip is refused while it is decompressed, in little memory', async () => {
    const zip = createGzip({ level: 1 })
    pipeline(zeros(1024 * MIB), zip, () => {})
    const sending = expect(sendGzip(zip)).rejects.toMatchObject({
      errors: [{ path: 'archive', message: 'has data after its end mark' }],
    })
    expect(await peakBytes(sending)).toBeLessThan(200 * MIB)
    zip.destroy()
    await noRevision()
  })

  it('MA-15 an archive of 100,000 files is refused at the first too many', async () => {
    const { body } = counted(manyFiles(100_000))
    await expect(sendTar(body)).rejects.toMatchObject({
      code: 'INVALID_REVISION',
      errors: [{ path: 'f10000', message: 'files must be at most 10000' }],
    })
    await noRevision()
  })

  it('MA-15 a client that goes away half-way leaves no revision', async () => {
    const leaving = new AbortController()
    async function* half() {
      yield tarOf([{ name: 'a', content: 'a' }]).subarray(0, 1024)
      yield tarHeader({ name: 'b', size: 600 })
      leaving.abort()
      yield Buffer.alloc(100)
    }
    const options = { signal: leaving.signal }
    await expect(app.client.upload(uploadRevision, { alias: app.alias }, half(), options)).rejects.toThrow()
    await noRevision()
  })

  it('MA-15 no transaction waits for the bytes of a client', async () => {
    const release = Promise.withResolvers<void>()
    const paused = Promise.withResolvers<void>()
    async function* slow() {
      for (let n = 0; n < 300; n++) {
        const content = Buffer.alloc(512, `${n} `)
        yield tarHeader({ name: createHash('sha256').update(content).digest('hex'), size: 512 })
        yield content
      }
      paused.resolve()
      await release.promise
      yield Buffer.alloc(1024)
    }
    const sending = app.client.upload(uploadFiles, { alias: app.alias }, slow())
    await paused.promise
    // The first batch is stored while the rest is still awaited.
    await until(async () => {
      const [row] = await system.db.query<{ count: number }>(sql`
        select count(*) from apps.blobs where org_id = ${app.org_id}`)
      return row!.count > 0
    })
    release.resolve()
    expect(await sending).toEqual({ stored: 300 })
  })
})

describe('the limit of an organization', () => {
  it('MA-15 what does not fit is refused, and nothing of its batch is stored', async () => {
    const send = (name: string, content: Buffer) => sendTar(counted([tarOf([{ name, content }])]).body)
    await send('a', Buffer.alloc(MIB, 'a'))
    await expect(send('b', Buffer.alloc(MIB, 'b'))).rejects.toMatchObject({
      code: 'REVISION_STORE_FULL',
      message: expect.stringMatching(
        /^Your organization may store 2097152 bytes of revisions, and this would be 20972\d\d\. Delete an app that is not needed; its files are removed within two days\.$/,
      ),
    })
    await send('c', Buffer.alloc(MIB / 2, 'c'))
    // Content that is stored already costs nothing, and other organizations have their own limit.
    await send('a', Buffer.alloc(MIB, 'a'))
    app = await newApp(system)
    await send('b', Buffer.alloc(MIB, 'b'))
  })
})
