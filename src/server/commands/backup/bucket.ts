import { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { ServiceError } from '#contract/core/errors.ts'
import { freeBuffer } from '#lib/memory/free-buffer.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import type { Environment } from '../../config/reader.ts'
import type { NewBackup } from './new-backup.ts'

/** Parts of an upload. 10,000 of them are allowed, so a backup can have 156 GiB. */
const UPLOAD_PART_BYTES = 16 * 1024 * 1024
/** Tries of a request, and breaks of a download in a row without another byte. */
const MAX_TRIES = 5
const RETRY_MS = 1_000
const TIMEOUTS = { headersTimeoutMs: 120_000, bodyTimeoutMs: 120_000 }

type Request = { query?: string; body?: Uint8Array<ArrayBuffer> | string; headers?: Record<string, string> }
type Send = (method: string, request?: Request) => Promise<Response>

/**
 * An object in S3 or in a storage that speaks its protocol, by the usual variables: AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and, for other storages, AWS_ENDPOINT_URL_S3.
 */
export function openBucket(address: string, env: Environment, retryMs = RETRY_MS) {
  const send = createSender(address, env, retryMs)
  return {
    create: () => beginUpload(send),
    async read(): Promise<Readable> {
      const first = await send('GET')
      if (!first.body) throw new ServiceError('UNAVAILABLE', `${address} is empty.`)
      return Readable.from(download(address, first, send, retryMs))
    },
    async bytes(): Promise<number> {
      return Number((await send('HEAD')).headers.get('content-length'))
    },
    async remove(): Promise<void> {
      await send('DELETE')
    },
    /** Returns the addresses that begin with this one, in the order of their names. */
    list: () => listObjects(address, env),
  }
}

function createSender(address: string, env: Environment, retryMs = RETRY_MS): Send {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env
  if (!accessKeyId || !secretAccessKey) {
    throw new ServiceError('INVALID_REQUEST', 'An s3:// address needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  }
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1'
  const session = token ? { sessionToken: token } : {}
  const client = new AwsClient({ accessKeyId, secretAccessKey, ...session, service: 's3', region })
  const url = objectUrl(address, env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL, region)
  const send = createOperatorFetch(TIMEOUTS)
  return async (method, { query = '', body, headers: more } = {}) => {
    const headers = { ...more, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) }
    const sign = () => client.sign(`${url}${query}`, { method, headers, ...(body !== undefined && { body }) })
    for (let tries = 1; ; tries++) {
      const answer = await send(await sign()).catch((error: unknown) => error as Error)
      if (answer instanceof Response && answer.ok) return answer
      const isForLater = answer instanceof Error || answer.status >= 500 || answer.status === 429
      if (!isForLater || tries === MAX_TRIES) throw await refused(address, answer)
      await wait(retryMs * tries)
    }
  }
}

/** Yields the bytes of an object. A download that breaks goes on at the byte where it ended, if the object is the same. */
async function* download(address: string, first: Response, send: Send, retryMs: number): AsyncGenerator<Uint8Array> {
  const [tag, length] = [first.headers.get('etag'), first.headers.get('content-length')]
  let at = 0
  let breaks = 0
  for (let answer = first; ; answer = await continueAt(address, at, tag, send)) {
    try {
      for await (const chunk of answer.body!) {
        at += chunk.length
        breaks = 0
        yield chunk
      }
      return
    } catch (cause) {
      if (length !== null && at === Number(length)) return
      breaks += 1
      if (tag === null || breaks === MAX_TRIES) {
        throw new ServiceError('UNAVAILABLE', `${address}: the download broke off at byte ${at}. Try again.`, { cause })
      }
    }
    await wait(retryMs * breaks)
  }
}

async function continueAt(address: string, at: number, tag: string, send: Send): Promise<Response> {
  const answer = await send('GET', { headers: { range: `bytes=${at}-`, 'if-match': tag } })
  if (answer.status === 206 && answer.headers.get('content-range')?.startsWith(`bytes ${at}-`)) return answer
  await answer.body?.cancel()
  throw new ServiceError(
    'UNAVAILABLE',
    `${address}: the storage does not continue a download that broke off. Try again.`,
  )
}

/** `s3://bucket/key`. A storage of one's own has the bucket in the path, Amazon's in the name of the host. */
function objectUrl(address: string, endpoint: string | undefined, region: string): string {
  const { host: bucket, pathname } = new URL(address)
  if (endpoint === undefined) return `https://${bucket}.s3.${region}.amazonaws.com${pathname}`
  return `${endpoint.replace(/\/$/, '')}/${bucket}${pathname}`
}

async function refused(address: string, answer: Response | Error): Promise<ServiceError> {
  if (answer instanceof Error)
    return new ServiceError('UNAVAILABLE', `${address}: ${answer.message}.`, { cause: answer })
  const code = textOf(await answer.text(), 'Code')
  const missing = answer.status === 404
  return new ServiceError(
    missing ? 'NOT_FOUND' : 'UNAVAILABLE',
    `${address}: the storage answers ${answer.status}${code === undefined ? '' : ` (${code})`}.`,
  )
}

/** Returns the text of the first element of that name. */
function textOf(xml: string, element: string): string | undefined {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1]
}

async function beginUpload(send: Send): Promise<NewBackup> {
  const id = textOf(await (await send('POST', { query: '?uploads=' })).text(), 'UploadId')
  if (id === undefined) throw new ServiceError('UNAVAILABLE', 'The storage began no upload.')
  const upload = `uploadId=${encodeURIComponent(id)}`
  const tags: string[] = []
  const put = async (bytes: Buffer<ArrayBuffer>) => {
    const answer = await send('PUT', { query: `?partNumber=${tags.length + 1}&${upload}`, body: bytes })
    tags.push(answer.headers.get('etag') ?? '')
  }
  return {
    to: inPieces(put),
    async finish() {
      const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
      const answer = await (await send('POST', { query: `?${upload}`, body })).text()
      // The protocol answers a failure of this request with 200 too.
      const code = textOf(answer, 'Code')
      if (code !== undefined) throw new ServiceError('UNAVAILABLE', `The storage did not finish the upload (${code}).`)
    },
    async abandon() {
      await send('DELETE', { query: `?${upload}` })
    },
  }
}

function inPieces(put: (bytes: Buffer<ArrayBuffer>) => Promise<void>): Writable {
  const piece = Buffer.allocUnsafeSlow(UPLOAD_PART_BYTES)
  let filled = 0
  const flush = async () => {
    const length = filled
    filled = 0
    if (length > 0) await put(piece.subarray(0, length))
  }
  const add = async (bytes: Buffer) => {
    let rest = bytes
    while (rest.length > 0) {
      const copied = rest.copy(piece, filled)
      filled += copied
      rest = rest.subarray(copied)
      if (filled === UPLOAD_PART_BYTES) await flush()
    }
    freeBuffer(bytes)
  }
  return new Writable({
    write(bytes: Buffer, _encoding, callback) {
      add(bytes).then(() => callback(), callback)
    },
    // An archive has a header, so it is never empty.
    final(callback) {
      flush().then(() => callback(), callback)
    },
  })
}

async function listObjects(address: string, env: Environment): Promise<string[]> {
  const { host: bucket, pathname } = new URL(address)
  const send = createSender(`s3://${bucket}/`, env)
  const first = `?list-type=2&prefix=${encodeURIComponent(pathname.slice(1))}`
  const addresses: string[] = []
  let next: string | undefined
  // A page has at most 1,000 keys.
  do {
    const query: string = next === undefined ? first : `${first}&continuation-token=${encodeURIComponent(next)}`
    const xml = await (await send('GET', { query })).text()
    for (const [, key] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) addresses.push(`s3://${bucket}/${key!}`)
    next = textOf(xml, 'IsTruncated') === 'true' ? textOf(xml, 'NextContinuationToken') : undefined
  } while (next !== undefined)
  return addresses.sort()
}
