import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Instance } from '#contract/client-package.ts'
import { type System, startSystem } from '#test/system.ts'
import { entriesOf } from '#test/tar-entries.ts'
import packageJson from '../../../../package.json' with { type: 'json' }
import { packClient } from '../../../../scripts/build-cli.ts'
import { isServedAt } from './insecure.ts'
import { createPackageReader } from './package-bytes.ts'

const { version } = packageJson

describe('CL-04 the client that an instance serves', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const get = (path: string, init?: RequestInit) => fetch(`${system.url}${path}`, init)
  const bytesOf = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer())
  const client = async () => Instance.strict().parse(await (await get('/.well-known/svc.json')).json()).client!

  it('is described with its version, digest and install line', async () => {
    const bytes = await bytesOf('/client.tgz')
    expect(await (await get('/.well-known/svc.json')).json()).toEqual({
      version,
      base_url: system.url,
      client: {
        version,
        url: `${system.url}/client.tgz`,
        versioned_url: `${system.url}/client/svc-client-${version}.tgz`,
        digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
        size_bytes: bytes.byteLength,
        install: `npm install -g ${system.url}/client.tgz`,
        executables: expect.any(Array),
      },
    })
  })

  it('is the package that the build of a release makes, at both addresses', async () => {
    const expected = await packClient()
    expect((await bytesOf('/client.tgz')).equals(expected)).toBe(true)
    expect((await bytesOf(`/client/svc-client-${version}.tgz`)).equals(expected)).toBe(true)
    expect((await get('/client/svc-client-0.0.1.tgz')).status).toBe(404)
    expect((await get('/client/windows-x64')).status).toBe(404)
  })

  it('brings no dependencies and no install scripts, and cannot be taken for a package of a registry', async () => {
    const entries = await entriesOf(await bytesOf('/client.tgz'))
    expect(entries.map(({ name }) => name)).toEqual([
      'package/package.json',
      'package/LICENSE',
      'package/README.md',
      'package/bin/other-node.js',
      'package/bin/svc.js',
      'package/dist/cli.cjs',
    ])
    expect(JSON.parse(entries[0]!.bytes.toString())).toEqual({
      name: '@svc-instance/client',
      version,
      description: 'The command-line client of svc',
      license: 'Apache-2.0',
      private: true,
      type: 'module',
      engines: { node: '>=22.18' },
      bin: { svc: 'bin/svc.js' },
    })
  })

  it('has the headers of a file that caches compare by its digest', async () => {
    const { digest, size_bytes } = await client()
    const etag = `"${digest.slice('sha256:'.length)}"`
    const whole = await get('/client.tgz', { method: 'HEAD' })
    expect([whole.status, await whole.text()]).toEqual([200, ''])
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(size_bytes),
      'cache-control': 'no-cache, no-transform',
      'x-content-type-options': 'nosniff',
      etag,
    })
    const same = await get('/client.tgz', { headers: { 'if-none-match': etag } })
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag])
    expect((await get('/client.tgz', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('is refused under an address of another machine without https, with the reason', async () => {
    const host = `svc.example.com:${new URL(system.url).port}`
    const refusal = await askAs(host, '/client.tgz')
    expect([refusal.status, JSON.parse(refusal.body)]).toMatchObject([
      403,
      {
        code: 'FORBIDDEN',
        detail: `The client is not served over plain http: anyone between you and http://${host} could replace it. Its operator sets SVC_REDIRECT_BASE_URL to an https address.`,
      },
    ])
    expect((await askAs(host, `/client/svc-client-${version}.tgz`)).status).toBe(403)
    expect(JSON.parse((await askAs(host, '/.well-known/svc.json')).body)).toMatchObject({ version, client: null })
  })

  it('is packed once for requests at the same time, and again only after a failure', async () => {
    let readings = 0
    const read = createPackageReader(async () => {
      readings += 1
      if (readings === 1) throw new Error('no compiler')
      return Buffer.from('bytes')
    })
    await expect(read()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The client cannot be packed on this server. Its log has the reason.',
    })
    const [one, other] = await Promise.all([read(), read()])
    expect([readings, one === other, await read()]).toEqual([2, true, one])
  })

  /** `fetch` sets the header Host itself. */
  async function askAs(host: string, path: string): Promise<{ status: number; body: string }> {
    const [response] = (await once(request(`${system.url}${path}`, { headers: { host } }).end(), 'response')) as [
      IncomingMessage,
    ]
    return { status: response.statusCode!, body: await text(response) }
  }
})

describe('CL-04 the address of the instance', () => {
  it('is named in the install line, where it is configured', async () => {
    await using system = await startSystem({ env: { SVC_REDIRECT_BASE_URL: 'https://svc.example.com' } })
    const described = Instance.parse(await (await fetch(`${system.url}/.well-known/svc.json`)).json())
    expect(described.client!.install).toBe('npm install -g https://svc.example.com/client.tgz')
    expect((await fetch(`${system.url}/client.tgz`)).status).toBe(200)
  })

  it.each([
    ['https://svc.example.com', 'http://10.0.0.5:8080/client.tgz', true],
    ['http://127.0.0.1:8080', 'http://localhost:8080/client.tgz', true],
    ['http://127.0.0.1:8080', 'http://[::1]:8080/client.tgz', true],
    ['http://127.0.0.1:8080', 'http://10.0.0.5:8080/client.tgz', false],
    ['http://10.0.0.5:8080', 'http://10.0.0.5:8080/client.tgz', false],
    ['http://10.0.0.5:8080', 'http://127.0.0.1:8080/client.tgz', false],
    ['http://localhost.example.com', 'http://localhost.example.com/client.tgz', false],
  ])('%s, asked for %s: served is %s', (baseUrl, requestUrl, expected) => {
    expect(isServedAt(baseUrl, requestUrl)).toBe(expected)
  })
})
