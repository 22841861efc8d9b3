import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '#test/until.ts'
import { createClient } from './client.ts'
import type { FetchLike } from './client-send.ts'
import type { UploadBody, UploadOptions } from './client-upload.ts'
import { ServiceError } from './errors.ts'
import { operation } from './operation.ts'

const put = operation({
  kind: 'upload',
  name: 'test.put',
  method: 'PUT',
  path: '/files/{name}',
  summary: 'Takes a file',
  access: 'public',
  effect: 'write',
  bodyLimit: 10,
  input: z.object({ name: z.string(), mode: z.string().optional() }),
  output: z.object({ size: z.int() }),
  consumes: ['application/gzip', 'application/octet-stream'],
})

/** Yields the chunks. `ended` tells whether its finally has run. */
function source(chunks: readonly string[], error?: Error) {
  const state = { ended: false, asked: 0 }
  async function* run() {
    try {
      for (const chunk of chunks) {
        state.asked += 1
        yield new TextEncoder().encode(chunk)
      }
      if (error) throw error
    } finally {
      state.ended = true
    }
  }
  return { state, body: run() }
}

const whole: FetchLike = async (request) => Response.json({ size: (await request.arrayBuffer()).byteLength })

function upload(body: UploadBody, options: UploadOptions = {}, fetch: FetchLike = whole) {
  const requests: Request[] = []
  const send: FetchLike = async (request) => {
    requests.push(request)
    return fetch(request)
  }
  const client = createClient({ baseUrl: 'https://svc.test', fetch: send })
  return { requests, answer: client.upload(put, { name: 'a b', mode: 'x' }, body, options) }
}

describe('OP-03 an upload', () => {
  it.each([
    ['an async iterable', () => source(['abc', 'de']).body],
    ['a stream', () => new Blob(['abcde']).stream()],
    ['a blob', () => new Blob(['abcde'])],
  ])('sends %s, with the rest of the input in the query', async (_, body) => {
    const { requests, answer } = upload(body())
    expect(await answer).toEqual({ size: 5 })
    const [request] = requests
    expect([request!.method, request!.url, request!.headers.get('content-type')]).toEqual([
      'PUT',
      'https://svc.test/files/a%20b?mode=x',
      'application/gzip',
    ])
  })

  it('has the media type the caller names', async () => {
    const { requests, answer } = upload(new Blob(['a']), { contentType: 'application/octet-stream' })
    await answer
    expect(requests[0]!.headers.get('content-type')).toBe('application/octet-stream')
  })

  it('tells how much was sent, of how much', async () => {
    const progress: unknown[] = []
    const onProgress: UploadOptions['onProgress'] = (step) => progress.push(step)
    await upload(source(['abc', 'de']).body, { onProgress, size: 5 }).answer
    await upload(source(['abc']).body, { onProgress }).answer
    expect(progress).toEqual([
      { sentBytes: 3, totalBytes: 5 },
      { sentBytes: 5, totalBytes: 5 },
      { sentBytes: 3, totalBytes: undefined },
    ])
  })

  it('asks its source for a piece only when the network takes one', async () => {
    const { state, body } = source(['a', 'b', 'c', 'd'])
    const { answer } = upload(body, {}, async (request) => {
      await request.body!.getReader().read()
      expect(state.asked).toBe(1)
      return Response.json({ size: 1 })
    })
    await answer
    await until(() => state.ended)
  })

  it('that is too large by its size is refused before anything is sent', async () => {
    const { requests, answer } = upload(source(['a']).body, { size: 11 })
    await expect(answer).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    expect(requests).toEqual([])
    await expect(upload(new Blob(['x'.repeat(11)])).answer).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  })

  it('that turns out to be too large is stopped and says so', async () => {
    const { state, body } = source(['123456', '78901', 'more'])
    await expect(upload(body).answer).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The upload is larger than the limit of 10 bytes.',
    })
    expect([state.asked, state.ended]).toEqual([2, true])
  })

  it('whose source fails throws the fault of the source', async () => {
    await expect(upload(source(['abc'], new Error('disk gone')).body).answer).rejects.toThrow('disk gone')
  })

  it('that is refused before its end throws the answer and ends its source', async () => {
    const { state, body } = source(['a', 'b', 'c'])
    const { answer } = upload(body, {}, async () => {
      const problem = new ServiceError('INVALID_TOKEN', 'Invalid or expired API token').toProblem()
      return Response.json(problem, { status: 401 })
    })
    await expect(answer).rejects.toMatchObject({ code: 'INVALID_TOKEN', message: 'Invalid or expired API token' })
    expect(state.asked).toBe(0)
  })

  it('goes through the transport for uploads where there is one', async () => {
    const client = createClient({
      baseUrl: 'https://svc.test',
      fetch: () => Promise.reject(new Error('has a time limit')),
      fetchUpload: whole,
    })
    expect(await client.upload(put, { name: 'a' }, new Blob(['ab']))).toEqual({ size: 2 })
  })
})
