import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { fromNodeHandler } from './node-handler.ts'

const URL_ = 'https://svc.example/path?x=1'
const get = () => new Request(URL_)

describe('a node handler as fetch', () => {
  it('AU-10 passes on method, path, headers, body, the caller’s address and the scheme', async () => {
    const fetch = fromNodeHandler(async (incoming, response) => {
      const { method, url, headers, socket } = incoming
      const encrypted = 'encrypted' in socket && socket.encrypted
      const body = await text(incoming)
      response.end(
        JSON.stringify({
          method,
          url,
          host: headers.host,
          a: headers['x-a'],
          ip: socket.remoteAddress,
          encrypted,
          body,
        }),
      )
    })
    const request = new Request(URL_, { method: 'POST', body: 'a=b', headers: { 'x-a': '1', host: 'evil.example' } })
    expect(await (await fetch(request, '203.0.113.9')).json()).toEqual({
      method: 'POST',
      url: '/path?x=1',
      host: 'svc.example',
      a: '1',
      ip: '203.0.113.9',
      encrypted: true,
      body: 'a=b',
    })
  })

  it('AU-10 keeps several cookies separate and returns no body if there is none', async () => {
    const fetch = fromNodeHandler((_, response) => {
      response.statusCode = 303
      response.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2'])
      response.setHeader('Location', '/there')
      response.end()
    })
    const response = await fetch(get(), '::1')
    expect(response.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2'])
    expect([response.status, response.headers.get('location'), response.body]).toEqual([303, '/there', null])
    const empty = fromNodeHandler((_, outgoing) => outgoing.writeHead(204).end('ignored'))
    expect((await empty(get(), '::1')).body).toBeNull()
  })

  it.each([
    ['an object', (r: Head) => r.writeHead(201, { 'X-A': '1', 'Set-Cookie': ['a', 'b'] })],
    ['a reason and an object', (r: Head) => r.writeHead(201, 'Made', { 'X-A': '1', 'Set-Cookie': ['a', 'b'] })],
    ['a list', (r: Head) => r.writeHead(201, ['X-A', '1', 'Set-Cookie', ['a', 'b']])],
  ])('AU-10 accepts headers in writeHead as %s', async (_, head) => {
    const fetch = fromNodeHandler((_incoming, response) => {
      head(response)
      response.write('he', 'utf8')
      response.write(Buffer.from('ll'))
      response.end('o')
    })
    const response = await fetch(get(), '::1')
    expect([response.status, response.headers.get('x-a'), response.headers.getSetCookie()]).toEqual([
      201,
      '1',
      ['a', 'b'],
    ])
    expect(await response.text()).toBe('hello')
  })

  it('AU-10 rejects if the handler throws, rejects or destroys the response', async () => {
    const handlers = {
      throws: () => {
        throw new Error('thrown')
      },
      rejects: async () => Promise.reject(new Error('rejected')),
      'gives up': (_: unknown, response: Head) => response.destroy(),
    }
    for (const [how, handler] of Object.entries(handlers)) {
      await expect(fromNodeHandler(handler)(get(), '::1'), how).rejects.toThrow()
    }
  })

  it('AU-10 rejects when the caller aborts', async () => {
    const caller = new AbortController()
    const fetch = fromNodeHandler(() => caller.abort())
    await expect(fetch(new Request(URL_, { signal: caller.signal }), '::1')).rejects.toThrow('the caller went away')
  })

  it('AU-10 emits finish and close to the handler', async () => {
    let finished = 0
    const fetch = fromNodeHandler((_, response) => {
      response.on('finish', () => (finished += 1))
      response.end('x')
      response.end('y')
    })
    expect(await (await fetch(get(), '::1')).text()).toBe('x')
    expect(finished).toBe(1)
  })

  it('AU-10 emits close alone to a handler whose caller went away before the end', async () => {
    const caller = new AbortController()
    const emitted: string[] = []
    const fetch = fromNodeHandler((_, response) => {
      for (const name of ['finish', 'close']) response.on(name, () => emitted.push(name))
      caller.abort()
      response.end('x')
    })
    await expect(fetch(new Request(URL_, { signal: caller.signal }), '::1')).rejects.toThrow('the caller went away')
    expect(emitted).toEqual(['close'])
  })
})

type Head = import('node:http').ServerResponse
