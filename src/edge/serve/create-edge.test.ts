import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mode, type System, startSystem } from '#test/system.ts'

describe.each<Mode>(['together', 'apart'])('refusals of the edge, with services %s', (mode) => {
  let system: System
  let token: string

  beforeAll(async () => {
    system = await startSystem({ mode })
    token = (await system.member('owner')).token
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const post = (body: BodyInit, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    fetch(`${system.url}/api/v1/orgs`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}`, ...headers },
    })

  async function problem(response: Response) {
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const body = (await response.json()) as Record<string, unknown>
    expect(Object.keys(body).sort()).toEqual(
      ['code', 'detail', 'request_id', 'status', 'title', 'type', ...(body.errors ? ['errors'] : [])].sort(),
    )
    expect(body.status).toBe(response.status)
    expect(body.request_id).toBe(response.headers.get('x-request-id'))
    return body
  }

  it('broken JSON is 400 without the parser’s message', async () => {
    const body = await problem(await post('{"name": '))
    expect([body.status, body.code, body.detail]).toEqual([400, 'MALFORMED_REQUEST', 'The body is not valid JSON.'])
  })

  it('a JSON body that is not an object is 400', async () => {
    for (const text of ['[]', 'null', '"x"', '1']) {
      expect((await problem(await post(text))).detail).toBe('The body must be a JSON object.')
    }
  })

  it('an unknown key is 400 and named, also __proto__ and its like', async () => {
    const body = await problem(await post('{"name": "a", "nmae": "b"}'))
    expect(body).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      errors: expect.arrayContaining([{ path: 'nmae', message: 'unknown key' }]),
    })
    const machinery = await problem(await post('{"name": "a", "__proto__": {"x": 1}}'))
    expect(machinery.errors).toEqual([{ path: '__proto__', message: 'unknown key' }])
    const query = await fetch(`${system.url}/api/v1/orgs?x=1`, {
      method: 'POST',
      body: '{"name":"a"}',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
    expect((await problem(query)).detail).toBe('x: unknown key')
  })

  it.each([
    ['{"org_name": "a"}', 'name: required; org_name: unknown key, did you mean name?'],
    ['{"nme": "a"}', 'name: required; nme: unknown key, did you mean name?'],
    ['{"colour": "a"}', 'name: required; colour: unknown key'],
  ])('an unknown key that stands for a missing one names it: %s', async (body, detail) => {
    expect((await problem(await post(body))).detail).toBe(detail)
  })

  it('a body that is nested too deeply is 400', async () => {
    const nested = (levels: number) => `{"name": ${'['.repeat(levels)}${']'.repeat(levels)}}`
    const tooDeep = 'The body is nested too deeply. At most 100 levels are accepted.'
    expect((await problem(await post(nested(100)))).detail).not.toBe(tooDeep)
    // More levels do not fit into the 4.7 KB that this operation accepts; see parse-json.test.ts.
    for (const levels of [101, 2_000]) {
      expect(await problem(await post(nested(levels)))).toMatchObject({ code: 'INVALID_REQUEST', detail: tooDeep })
    }
  })

  it('every fault of the input is reported at once, each with its path', async () => {
    const response = await fetch(`${system.url}/api/v1/admin/orgs`, {
      method: 'POST',
      body: JSON.stringify({ name: '', domains: ['ok.example.com', 'not a domain'], admin_email: 'nobody' }),
      headers: { authorization: `Bearer ${system.config.secrets.operatorToken}`, 'content-type': 'application/json' },
    })
    const { errors } = (await problem(response)) as { errors: { path: string }[] }
    expect(errors.map(({ path }) => path)).toEqual(['name', 'domains.1', 'admin_email'])
  })

  it('a body over the limit is 413 and is not read on', async () => {
    const sent = await sendEndless(`content-length: ${10 * 1024 * 1024}`)
    expect(sent.answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(sent.answer).toContain('"code":"PAYLOAD_TOO_LARGE"')
    expect(sent.closed).toBe(true)
  })

  it('a body of unknown length is 413 as soon as it passes the limit', async () => {
    const sent = await sendEndless('transfer-encoding: chunked')
    expect(sent.answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(sent.closed).toBe(true)
  })

  /** Goes on sending until the server hangs up: only a server that stops reading ends this. */
  async function sendEndless(lengthHeader: string) {
    const socket = connect(Number(new URL(system.url).port), '127.0.0.1')
    await once(socket, 'connect')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('error', () => {})
    const closed = new Promise<true>((resolve) => socket.once('close', () => resolve(true)))
    socket.write(
      `POST /api/v1/orgs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\n${lengthHeader}\r\n\r\n`,
    )
    const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const pump = () => {
      while (socket.writable && socket.write(piece)) {}
    }
    socket.on('drain', pump)
    pump()
    return { closed: await closed, answer }
  }

  it('another media type is 415, none at all too', async () => {
    expect((await problem(await post('name=a', { 'content-type': 'application/x-www-form-urlencoded' }))).status).toBe(
      415,
    )
    expect((await problem(await post(new Blob(['{"name":"a"}']), {}))).code).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  it('an unknown route is 404, a wrong method 405 with Allow', async () => {
    expect((await problem(await fetch(`${system.url}/api/wf/nothing`))).code).toBe('NOT_FOUND')
    expect((await problem(await fetch(`${system.url}/api/v1/nothing`))).code).toBe('NOT_FOUND')
    const response = await fetch(`${system.url}/api/wf/slim/data-sources`, { method: 'PUT' })
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect((await problem(response)).code).toBe('METHOD_NOT_ALLOWED')
  })

  it('a route that speaks YAML by default answers its errors in YAML', async () => {
    const response = await fetch(`${system.url}/api/wf/slim/data-sources`)
    expect([response.status, response.headers.get('content-type')]).toEqual([401, 'application/yaml'])
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.text()).toContain('code: "INVALID_TOKEN"\n')
  })

  it('a malformed request line is 400, headers too large are 431; the connection is closed and others go on', async () => {
    const broken = await raw('NONSENSE\r\n\r\n')
    expect(broken).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close[\s\S]*"code":"MALFORMED_REQUEST"/)
    const large = await raw(`GET /healthz HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(large).toMatch(/^HTTP\/1\.1 431 [\s\S]*connection: close[\s\S]*"code":"HEADERS_TOO_LARGE"/)
    const odd = await raw('GET \\\\evil HTTP/1.1\r\nhost: x y\r\nconnection: close\r\n\r\n')
    expect(odd).toMatch(/^HTTP\/1\.1 400 /)
    expect((await fetch(`${system.url}/healthz`)).status).toBe(200)
  })

  /** Resolves with everything the server says until it closes the connection. */
  async function raw(text: string): Promise<string> {
    const socket = connect(Number(new URL(system.url).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.write(text)
    await once(socket, 'close')
    return answer
  }

  it('text that cannot be stored, and bodies in another encoding, are refused before anything is done', async () => {
    const nul = await problem(await post('{"name": "a\\u0000b"}'))
    expect([nul.status, nul.errors]).toEqual([400, [{ path: 'name', message: expect.any(String) }]])
    expect((await problem(await post('{"name": "half \\ud800"}'))).status).toBe(400)
    const broken = await problem(await post(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))
    expect(broken.detail).toBe('The body is not valid UTF-8.')
    const json = { 'content-type': 'application/json' }
    expect((await problem(await post('{"name":"a"}', { ...json, 'content-encoding': 'gzip' }))).status).toBe(415)
    expect(
      (await problem(await post('{"name":"a"}', { 'content-type': 'application/json; charset=utf-16' }))).status,
    ).toBe(415)
  })

  it('the size of a refusal does not grow with the request', async () => {
    const keys = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1])))
    for (const [count, status] of [
      [400, 400],
      [5_000, 413],
    ] as const) {
      const refusal = await post(keys(count))
      expect(refusal.status).toBe(status)
      expect((await refusal.text()).length).toBeLessThan(1_000)
    }
  })

  it('another spelling of a path is 404, whatever service it would reach', async () => {
    for (const path of [
      '/%61pi/v1/orgs',
      '/api%2fv1/orgs',
      '//api/v1/orgs',
      '/api/v1/../v1/orgs',
      '/api/v1/%2e%2e/orgs',
    ]) {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n`
      const answer = await raw(`${head}content-type: application/json\r\ncontent-length: 12\r\n\r\n{"name":"ab"}`)
      expect([path, answer.slice(0, 12)]).toEqual([path, 'HTTP/1.1 404'])
    }
  })

  it('a broken request does not affect the answer to a valid one before it', async () => {
    const good = `GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`
    const answer = await raw(`${good}\0\0GARBAGE\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it('no Host is 400, an expectation that cannot be met 417, both as problems', async () => {
    expect(await raw('GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*MALFORMED_REQUEST/,
    )
    const odd = await raw('GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: coffee\r\nconnection: close\r\n\r\n')
    expect(odd).toMatch(/^HTTP\/1\.1 417 [\s\S]*EXPECTATION_FAILED/)
  })

  it.each([
    ['Host', 'host: x\r\nHOST: y'],
    ['the same Host', 'host: x\r\nhost: x'],
    ['Authorization', 'host: x\r\nauthorization: Bearer a\r\nauthorization: Bearer b'],
    ['Content-Type', 'host: x\r\ncontent-type: application/json\r\ncontent-type: text/plain'],
    ['Content-Encoding', 'host: x\r\ncontent-encoding: gzip\r\ncontent-encoding: identity'],
    ['Origin', 'host: x\r\norigin: https://a.example\r\norigin: https://b.example'],
    ['Content-Length', 'host: x\r\ncontent-length: 0\r\ncontent-length: 0'],
    ['Transfer-Encoding', 'host: x\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked'],
    ['a length and chunks', 'host: x\r\ncontent-length: 0\r\ntransfer-encoding: chunked'],
  ])('OP-09 two headers that a proxy may read in another way are 400: %s', async (_, headers) => {
    const answer = await raw(`GET /healthz HTTP/1.1\r\n${headers}\r\nconnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"MALFORMED_REQUEST"/)
  })

  it('OP-02 the health check of a load balancer, which is HTTP/1.0 without a Host, is answered', async () => {
    expect(await raw('GET /readyz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 [\s\S]*"status":"ready"/)
  })

  it('OP-02 an idle connection is kept longer than the minute for which load balancers keep theirs', async () => {
    expect((await fetch(`${system.url}/healthz`)).headers.get('keep-alive')).toBe('timeout=75')
  })

  it('100 Continue is sent only if the body will be read', async () => {
    const head = (auth: string) =>
      `POST /api/v1/orgs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${auth}\r\ncontent-type: application/json\r\n` +
      'expect: 100-continue\r\nconnection: close\r\n'
    expect(await raw(`${head('wrong')}content-length: 5000000\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4(?:01|13) /)
    expect(await raw(`${head(token)}content-length: 5000000\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
    const response = await raw(`${head(token)}content-length: 16\r\n\r\n{"name":"Expect"}`)
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 /)
  })

  it('none of the requests above was an internal error, and no answer or log line contains a token', async () => {
    const log = system.logs.join('')
    expect(log).not.toMatch(/"status":5\d\d/)
    expect(log).not.toContain(token)
  })

  it('HEAD answers like GET without a body', async () => {
    for (const path of ['/healthz', '/auth/login', '/api/v1/me']) {
      const [got, head] = [await fetch(`${system.url}${path}`), await fetch(`${system.url}${path}`, { method: 'HEAD' })]
      const size = (await got.arrayBuffer()).byteLength
      expect([path, head.status, head.headers.get('content-length')]).toEqual([path, got.status, String(size)])
      expect([path, await head.text()]).toEqual([path, ''])
    }
  })

  it('a browser gets a refusal as a page, whichever service owns the path', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const refused = await fetch(`${system.url}/auth/login?%3Ci%3E=1`, { headers })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(refused.headers.get('content-security-policy')).toMatch(/^default-src 'none'; /)
    expect(await refused.text()).toContain('<p class="fault" role="alert">&lt;i&gt;: unknown key</p>')
    const wrongType = await fetch(`${system.url}/auth/local`, { method: 'POST', body: 'x', headers })
    expect([wrongType.status, wrongType.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8'])
    expect((await fetch(`${system.url}/auth/login?x=1`)).headers.get('content-type')).toBe('application/problem+json')
  })
})
