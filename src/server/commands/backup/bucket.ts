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
const MAX_TRIES = 5
const RETRY_MS = 1_000
const TIMEOUTS = { headersTimeoutMs: 120_000, bodyTimeoutMs: 120_000 }

type Send = (method: string, query?: string, body?: Uint8Array<ArrayBuffer> | string) => Promise<Response>

/**
 * An object in S3 or in a storage that speaks its protocol, by the usual variables: AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and, for other storages, AWS_ENDPOINT_URL_S3.
 */
export function openBucket(address: string, env: Environment) {
  const send = createSender(address, env)
  return {
    create: () => beginUpload(send),
    async read(): Promise<Readable> {
      const { body } = await send('GET')
      if (!body) throw new ServiceError('UNAVAILABLE', `${address} is empty.`)
      return Readable.from(body)
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

function createSender(address: string, env: Environment): Send {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env
  if (!accessKeyId || !secretAccessKey) {
    throw new ServiceError('INVALID_REQUEST', 'An s3:// address needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  }
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1'
  const session = token ? { sessionToken: token } : {}
  const client = new AwsClient({ accessKeyId, secretAccessKey, ...session, service: 's3', region })
  const url = objectUrl(address, env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL, region)
  const send = createOperatorFetch(TIMEOUTS)
  return async (method, query = '', body) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sign = () => client.sign(`${url}${query}`, { method, headers: length, ...(body !== undefined && { body }) })
    for (let tries = 1; ; tries++) {
      const answer = await send(await sign()).catch((error: unknown) => error as Error)
      if (answer instanceof Response && answer.ok) return answer
      const isForLater = answer instanceof Error || answer.status >= 500 || answer.status === 429
      if (!isForLater || tries === MAX_TRIES) throw await refused(address, answer)
      await wait(RETRY_MS * tries)
    }
  }
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
  const id = textOf(await (await send('POST', '?uploads=')).text(), 'UploadId')
  if (id === undefined) throw new ServiceError('UNAVAILABLE', 'The storage began no upload.')
  const upload = `uploadId=${encodeURIComponent(id)}`
  const tags: string[] = []
  const put = async (bytes: Buffer<ArrayBuffer>) => {
    const answer = await send('PUT', `?partNumber=${tags.length + 1}&${upload}`, bytes)
    tags.push(answer.headers.get('etag') ?? '')
  }
  return {
    to: inPieces(put),
    async finish() {
      const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
      const answer = await (await send('POST', `?${upload}`, body)).text()
      // The protocol answers a failure of this request with 200 too.
      const code = textOf(answer, 'Code')
      if (code !== undefined) throw new ServiceError('UNAVAILABLE', `The storage did not finish the upload (${code}).`)
    },
    async abandon() {
      await send('DELETE', `?${upload}`)
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
  const xml = await (await send('GET', `?list-type=2&prefix=${encodeURIComponent(pathname.slice(1))}`)).text()
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => `s3://${bucket}/${key!}`)
  return keys.sort()
}
