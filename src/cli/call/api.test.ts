import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { listSlimSources } from '#contract/data-sources/sources.ts'
import { readConfig } from '../command/config.ts'
import { connect } from './api.ts'

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const list = (api_url: string, timeoutSeconds?: number) =>
  connect(
    { api_url, api_key: 'secret' },
    { note: () => {}, config: readConfig({}), isForProgram: true },
    timeoutSeconds,
  ).call(listSlimSources, {})

test('the key and the client travel in headers', async () => {
  const seen: unknown[] = []
  await using server = await serve((request, response) => {
    seen.push(request.headers.authorization, request.headers['x-svc-client'])
    response.setHeader('content-type', 'application/json').end('{"items":[],"next_cursor":null}')
  })
  expect(await list(server.url)).toEqual({ items: [], next_cursor: null })
  expect(seen).toEqual(['Bearer secret', 'cli'])
})

test('CL-02 no answer in time is TIMEOUT, whether headers or body stay away', async () => {
  await using silent = await serve(() => {})
  await expect(list(silent.url, 0.01)).rejects.toMatchObject({ code: 'TIMEOUT' })
  await using halting = await serve((_, response) => {
    response.setHeader('content-type', 'application/json').write('{"items":')
  })
  await expect(list(halting.url, 0.1)).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test('CL-02 an answer in JSON may be compressed, and one that is broken off or not JSON is UNAVAILABLE', async () => {
  const answer = '{"items":[],"next_cursor":null}'
  const head = { 'content-type': 'application/json' }
  await using zipped = await serve((request, response) => {
    const encoding = request.headers['accept-encoding']
    response.writeHead(200, { ...head, 'content-encoding': String(encoding) }).end(gzipSync(answer))
  })
  expect(await list(zipped.url)).toEqual({ items: [], next_cursor: null })
  await using broken = await serve((_, response) => {
    response.writeHead(200, { ...head, 'content-length': '99' }).write(answer, () => response.destroy())
  })
  await expect(list(broken.url)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await using other = await serve((_, response) => response.writeHead(200, head).end('<html>'))
  await expect(list(other.url)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The answer is not from this service. Check the address.',
  })
})

test('nobody listening is UNAVAILABLE with the address and what the system said', async () => {
  const { url } = await (async () => {
    await using server = await serve(() => {})
    return { url: server.url }
  })()
  const message = `Cannot reach ${url} (ECONNREFUSED). Check that it is running.`
  await expect(list(url)).rejects.toMatchObject({ code: 'UNAVAILABLE', message })
})

test('a redirect is not followed: the key stays where it was sent', async () => {
  let followed = false
  await using other = await serve((_, response) => {
    followed = true
    response.end()
  })
  await using server = await serve((_, response) => response.writeHead(307, { location: `${other.url}/x` }).end())
  await expect(list(server.url)).rejects.toThrow(`redirects to ${other.url}`)
  expect(followed).toBe(false)
})
