import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { operation } from '#contract/core/operation.ts'
import { createWorkerClient, SDK_VERSION } from './index.ts'

const access = { principals: ['workload'], role: null, scope: null, org: 'token' } as const
const common = { summary: 'x', access, bodyLimit: 1024, input: z.object({}) } as const
const output = z.object({ token: z.string() })
const read = operation({
  ...common,
  kind: 'json',
  name: 'x.read',
  method: 'GET',
  path: '/read',
  effect: 'read',
  output,
})
const write = operation({
  ...common,
  kind: 'json',
  name: 'x.write',
  method: 'POST',
  path: '/write',
  effect: 'write',
  output,
})
const stream = operation({
  ...common,
  kind: 'stream',
  name: 'x.stream',
  method: 'POST',
  path: '/stream',
  effect: 'read',
  event: output,
})

/** Takes one token and answers it; a stream ends with a fault after its first event. */
async function serve(good: string) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const token = request.headers.authorization!.slice('Bearer '.length)
    asked.push(token)
    if (request.url === '/moved') return void response.writeHead(302, { location: '/read' }).end()
    response.writeHead(token === good ? 200 : 401, { 'content-type': 'application/json' })
    const fault = '{"problem":{"code":"INVALID_TOKEN","status":401,"detail":"over"}}'
    const body = token === good ? JSON.stringify({ token }) : '{"code":"INVALID_TOKEN","detail":"no"}'
    response.end(request.url === '/stream' && token === good ? `${body}\n${fault}\n` : body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** As the file reads over time; the last for good. */
function tokens(...values: string[]) {
  return async () => (values.length > 1 ? values.shift()! : values[0]!)
}

describe('the worker’s client', () => {
  it('AU-16 presents SERVER_API_TOKEN to SVC_API_URL', async () => {
    await using server = await serve('svc_own')
    const client = createWorkerClient({ env: { SERVER_API_TOKEN: 'svc_own', SVC_API_URL: server.url } })
    expect(await client.call(read, {})).toEqual({ token: 'svc_own' })
  })

  it('AU-16 a read refused with a token replaced meanwhile is asked once more', async () => {
    await using server = await serve('new')
    const client = createWorkerClient({ env: {}, apiUrl: server.url, token: tokens('old', 'new') })
    expect(await client.call(read, {})).toEqual({ token: 'new' })
    expect(server.asked).toEqual(['old', 'new'])
  })

  it('AU-16 a second refusal is final', async () => {
    await using server = await serve('new')
    const client = createWorkerClient({ env: {}, apiUrl: server.url, token: tokens('a', 'b', 'new') })
    await expect(client.call(read, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    expect(server.asked).toEqual(['a', 'b'])
  })

  it('AU-16 the same token is not tried twice', async () => {
    await using server = await serve('new')
    const client = createWorkerClient({ env: {}, apiUrl: server.url, token: tokens('old') })
    await expect(client.call(read, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    expect(server.asked).toEqual(['old'])
  })

  it('AU-16 a write is never repeated', async () => {
    await using server = await serve('new')
    const client = createWorkerClient({ env: {}, apiUrl: server.url, token: tokens('old', 'new') })
    await expect(client.call(write, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    expect(server.asked).toEqual(['old'])
  })

  it('AU-16 a stream is begun again before its first event, never after', async () => {
    await using server = await serve('new')
    const client = createWorkerClient({ env: {}, apiUrl: server.url, token: tokens('old', 'new', 'newer') })
    const events: unknown[] = []
    const reading = async () => {
      for await (const event of client.stream(stream, {})) events.push(event)
    }
    await expect(reading()).rejects.toThrow('over')
    expect(events).toEqual([{ token: 'new' }])
    expect(server.asked).toEqual(['old', 'new'])
    const unrepeated = createWorkerClient({ env: {}, apiUrl: server.url, token: tokens('new', 'newer') })
    await expect(Array.fromAsync(unrepeated.stream(stream, {}))).rejects.toThrow('over')
    expect(server.asked).toEqual(['old', 'new', 'new'])
  })

  it('a redirect is not followed: it would carry the token along', async () => {
    await using server = await serve('t')
    const moved = operation({ ...read, path: '/moved' })
    const client = createWorkerClient({ env: {}, apiUrl: server.url, token: tokens('t') })
    await expect(client.call(moved, {})).rejects.toMatchObject({ name: 'ServiceError' })
    expect(server.asked).toEqual(['t'])
  })

  it('a server that is gone is UNAVAILABLE', async () => {
    const server = await serve('t')
    await server[Symbol.asyncDispose]()
    const client = createWorkerClient({ env: {}, apiUrl: server.url, token: tokens('t') })
    await expect(client.call(read, {})).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('AU-16 without an address the error says what to set', () => {
    expect(() => createWorkerClient({ env: {} })).toThrow(
      'SVC_API_URL is not set. Set it to the address of the instance',
    )
  })

  it('AU-16 the guide requires no later version than this one, and this one presents the projected token', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/workload-identity.md'), 'utf8')
    const required = /Worker SDK (\d+\.\d+\.\d+) or later/.exec(guide)![1]!
    expect(required).toBe('0.0.18')
    const inOrder = [required, SDK_VERSION].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    expect(inOrder).toEqual([required, SDK_VERSION])
    await using server = await serve('of the deployment')
    const folder = mkdtempSync(join(tmpdir(), 'svc-worker-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'token')
    writeFileSync(file, 'of the deployment\n')
    const client = createWorkerClient({ env: { SVC_API_URL: server.url, SVC_WORKLOAD_TOKEN_FILE: file } })
    expect(await client.call(read, {})).toEqual({ token: 'of the deployment' })
  })
})
