import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

type Operation = 'begin' | 'part' | 'complete' | 'abort' | 'get' | 'head' | 'list' | 'delete'
type Upload = { readonly key: string; readonly parts: Map<number, Buffer> }

/** A storage on loopback that speaks the protocol of S3 and checks every signature. */
export type FakeS3 = AsyncDisposable & {
  /** Variables that a command needs to use it. */
  readonly env: Record<string, string>
  /** Objects by bucket and key, `bucket/key`. */
  readonly objects: Map<string, Buffer>
  /** Uploads that were begun and neither completed nor aborted. */
  readonly uploads: Map<string, Upload>
  /** The next request of an operation is answered with this status, or with an error in the body of a 200. */
  readonly faults: { operation: Operation; status: number }[]
  /** The next downloads break off after so many bytes each. */
  readonly breaks: number[]
  readonly requests: Operation[]
  /** Most keys in a page of a list. */
  pageKeys: number
  /** Whether it answers with the whole object where a part of it was asked for. */
  ignoresRanges: boolean
}

const CREDENTIALS = { id: 'AKIDEXAMPLE', secret: 'a secret of the fake', region: 'eu-test-1' }

export async function startFakeS3(): Promise<FakeS3> {
  const server = createServer((request, response) => void answer(fake, request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const fake: FakeS3 = {
    env: {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: CREDENTIALS.id,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secret,
      AWS_REGION: CREDENTIALS.region,
    },
    objects: new Map(),
    uploads: new Map(),
    faults: [],
    breaks: [],
    requests: [],
    pageKeys: 1_000,
    ignoresRanges: false,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return fake
}

async function answer(fake: FakeS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'http://127.0.0.1')
  const body = await buffer(request)
  const operation = operationOf(request.method!, url.searchParams)
  if (!isSigned(request, url, body)) return refuse(response, 403, 'SignatureDoesNotMatch')
  fake.requests.push(operation)
  const at = fake.faults.findIndex((fault) => fault.operation === operation)
  const [fault] = at < 0 ? [] : fake.faults.splice(at, 1)
  if (fault) return refuse(response, fault.status, fault.status === 403 ? 'AccessDenied' : 'InternalError')
  const { 'if-match': ifMatch } = request.headers
  const range = fake.ignoresRanges ? undefined : request.headers.range
  HANDLERS[operation](fake, { url, body, key: decodeURIComponent(url.pathname.slice(1)), range, ifMatch }, response)
}

function operationOf(method: string, query: URLSearchParams): Operation {
  if (method === 'GET') return query.has('list-type') ? 'list' : 'get'
  if (method === 'HEAD') return 'head'
  if (method === 'PUT') return 'part'
  if (method === 'DELETE') return query.has('uploadId') ? 'abort' : 'delete'
  return query.has('uploads') ? 'begin' : 'complete'
}

type Call = {
  readonly url: URL
  readonly body: Buffer
  readonly key: string
  readonly range: string | undefined
  readonly ifMatch: string | undefined
}

const HANDLERS: Record<Operation, (fake: FakeS3, call: Call, response: ServerResponse) => void> = {
  begin({ uploads }, { key }, response) {
    const id = `upload/${uploads.size + 1}+${key.length}`
    uploads.set(id, { key, parts: new Map() })
    response.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
  },
  part({ uploads }, { url, body }, response) {
    const upload = uploads.get(url.searchParams.get('uploadId')!)
    if (!upload) return refuse(response, 404, 'NoSuchUpload')
    upload.parts.set(Number(url.searchParams.get('partNumber')), body)
    response.writeHead(200, { etag: tagOf(body) }).end()
  },
  complete({ uploads, objects }, { url, body, key }, response) {
    const id = url.searchParams.get('uploadId')!
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)]
    const parts = named.map(([, number, tag]) => ({ tag, bytes: uploads.get(id)?.parts.get(Number(number)) }))
    if (parts.length === 0 || parts.some(({ tag, bytes }) => !bytes || tagOf(bytes) !== tag)) {
      return refuse(response, 400, 'InvalidPart')
    }
    objects.set(key, Buffer.concat(parts.map(({ bytes }) => bytes!)))
    uploads.delete(id)
    response.end('<CompleteMultipartUploadResult/>')
  },
  abort({ uploads }, { url }, response) {
    uploads.delete(url.searchParams.get('uploadId')!)
    response.writeHead(204).end()
  },
  get({ objects, breaks }, { key, range, ifMatch }, response) {
    const found = objects.get(key)
    if (!found) return refuse(response, 404, 'NoSuchKey')
    if (ifMatch !== undefined && ifMatch !== tagOf(found)) return refuse(response, 412, 'PreconditionFailed')
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    const headers = { etag: tagOf(found), 'content-length': found.length - start }
    const place = `bytes ${start}-${found.length - 1}/${found.length}`
    response.writeHead(range ? 206 : 200, range ? { ...headers, 'content-range': place } : headers)
    const length = breaks.shift()
    if (length === undefined) response.end(found.subarray(start))
    else response.write(found.subarray(start, start + length), () => response.destroy())
  },
  head({ objects }, { key }, response) {
    const found = objects.get(key)
    response.writeHead(found ? 200 : 404, found ? { 'content-length': found.length } : {}).end()
  },
  list({ objects, pageKeys }, { url, key }, response) {
    const begin = `${key}${url.searchParams.get('prefix')}`
    const after = url.searchParams.get('continuation-token') ?? ''
    const all = [...objects.keys()].filter((name) => name.startsWith(begin) && name > after).sort()
    const page = all.slice(0, pageKeys)
    const keys = page.map((name) => `<Contents><Key>${name.slice(key.length)}</Key></Contents>`).join('')
    const next = all.length > pageKeys ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    response.end(`<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${keys}${next}</ListBucketResult>`)
  },
  delete({ objects }, { key }, response) {
    objects.delete(key)
    response.writeHead(204).end()
  },
}

/** A failure of the last request of an upload can come with the status 200. */
function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
}

const tagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`

/** Checks the signature by https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function isSigned({ method, headers }: IncomingMessage, url: URL, body: Buffer): boolean {
  const [, id, day, region, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (id !== CREDENTIALS.id || region !== CREDENTIALS.region) return false
  const payload = String(headers['x-amz-content-sha256'])
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return false
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort()
  const lines = names!.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const request = [method, url.pathname, query.join('&'), lines.join(''), names, payload].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n')
  const key = [day!, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${CREDENTIALS.secret}`)
  return hmac(key, text).toString('hex') === signature
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
