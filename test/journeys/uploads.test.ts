import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '#contract/core/client.ts'
import type { UploadProgress } from '#contract/core/client-upload.ts'
import { operation } from '#contract/core/operation.ts'
import { route } from '#edge/route/route.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { startTwoServices, type TwoServices } from '#test/programs/simulated-process.ts'
import { until } from '#test/until.ts'

const KIB = 1024
const MIB = 1024 * KIB
const member = { principals: ['api_token'], role: 'viewer', scope: null, org: 'token' } as const
const put = operation({
  kind: 'upload',
  name: 'test.put',
  method: 'PUT',
  path: '/api/files/{name}',
  summary: 'Takes a file',
  access: 'public',
  effect: 'write',
  bodyLimit: 8 * MIB,
  minBodyRate: { bytesPerSecond: 1000, windowSeconds: 30 },
  input: z.object({ name: z.string() }),
  output: z.object({ size: z.int() }),
  consumes: ['application/octet-stream'],
})
const putAsMember = operation({
  ...put,
  name: 'test.put_as_member',
  path: '/api/own/{name}',
  access: member,
  bodyLimit: 1e12,
})
/** The operation as a client of another version has it. */
const putWithoutLimit = operation({ ...put, bodyLimit: 1e12 })

describe.each(['together', 'apart'] as const)('OP-03 an upload through the door, services %s', (mode) => {
  let database: TestDatabase
  let system: TwoServices
  let received = 0
  let nowMs = 0
  let looks = 0

  beforeAll(async () => {
    database = await openTestDatabase()
    system = await startTwoServices({
      mode,
      db: database.db,
      listenOptions: {
        timeouts: { bodyCheckMs: 5 },
        nowMs: () => {
          looks += 1
          return nowMs
        },
      },
      routes: [
        route(put, async (_, __, body) => {
          received = 0
          for await (const chunk of body) received += chunk.byteLength
          return { size: received }
        }),
        route(putAsMember, async () => ({ size: 0 })),
      ],
    })
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const client = () => createClient({ baseUrl: system.door.url, fetch })

  /** Bytes without end; `ended` tells whether nobody asks for more. */
  function endless() {
    const state = { ended: false }
    async function* run() {
      try {
        for (;;) yield new Uint8Array(64 * KIB)
      } finally {
        state.ended = true
      }
    }
    return { state, body: run() }
  }

  /** Moves the clock and waits until each listener has looked at the rate. */
  const pass = async (seconds: number) => {
    nowMs += seconds * 1000
    const before = looks
    await until(() => looks > before + 4)
  }

  it('reaches the handler while it is being sent, and tells its progress', async () => {
    async function* inStep() {
      for (let sent = 0; sent < 4; sent++) {
        yield new Uint8Array(MIB)
        await until(() => received >= sent * MIB)
      }
    }
    const progress: UploadProgress[] = []
    const options = { size: 4 * MIB, onProgress: (step: UploadProgress) => void progress.push(step) }
    expect(await client().upload(put, { name: 'a' }, inStep(), options)).toEqual({ size: 4 * MIB })
    expect(progress.at(-1)).toEqual({ sentBytes: 4 * MIB, totalBytes: 4 * MIB })
  })

  it.each([1, 2, 3, 4, 5])('refused for its caller is told so while it is being sent, round %d', async () => {
    const { state, body } = endless()
    await expect(client().upload(putAsMember, { name: 'a' }, body)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await until(() => state.ended)
  })

  it.each([1, 2, 3])('refused for its size is told so while it is being sent, round %d', async () => {
    const { state, body } = endless()
    await expect(client().upload(putWithoutLimit, { name: 'a' }, body)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    })
    await until(() => state.ended)
  })

  it('that is slow but steady is taken, however long it takes', async () => {
    async function* slowly() {
      for (let sent = 1; sent <= 20; sent++) {
        yield new Uint8Array(30_000)
        await until(() => received === sent * 30_000)
        await pass(29)
      }
    }
    received = 0
    expect(await client().upload(put, { name: 'a' }, slowly())).toEqual({ size: 600_000 })
  })

  it('that stalls is told that it is too slow', async () => {
    const released = Promise.withResolvers<void>()
    async function* stalled() {
      yield new Uint8Array(10)
      await released.promise
    }
    received = 0
    const answer = client().upload(put, { name: 'a' }, stalled())
    const refused = expect(answer).rejects.toMatchObject({
      code: 'BODY_TOO_SLOW',
      message:
        'The body arrived at less than 1000 bytes per second for 30 seconds. Send it again over a faster connection.',
    })
    await until(() => received === 10)
    await pass(30)
    await refused
    released.resolve()
  })
})
