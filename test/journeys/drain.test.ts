import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type ServerProcess, startProcess, untilReady } from '#test/programs/processes.ts'
import { until } from '#test/until.ts'

describe('OP-03 a process that gets SIGTERM', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-drain-'))
  let server: ServerProcess
  afterEach(() => server?.[Symbol.asyncDispose]())
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const start = async (drainSeconds: string) => {
    const env = { PORT: '0', SVC_DATA_DIR: folder, SVC_EXAMPLE: 'false', SVC_DRAIN_SECONDS: drainSeconds }
    server = await startProcess(env)
    return JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')) as { api_key: string }
  }
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(server.url + path, { headers })).status

  it('fails readiness first and goes on answering while it drains; a second signal ends it at once', async () => {
    const { api_key } = await start('3600')
    const authorization = `Bearer ${api_key}`
    await untilReady(server)
    expect(await statusOf('/readyz?draining=404')).toBe(200)
    server.child.kill('SIGTERM')
    await until(async () => (await statusOf('/readyz')) === 503)
    expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({
      status: 'not_ready',
      dependencies: { draining: { status: 'failing', detail: 'the process stops soon' }, database: { status: 'ok' } },
    })
    // For a proxy that cuts the requests of servers that fail, and not of those that drain.
    expect(await statusOf('/readyz?draining=404')).toBe(404)
    expect(await statusOf('/healthz')).toBe(200)
    expect(await statusOf('/api/wf/slim/data-sources', { authorization })).toBe(200)
    const exited = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    expect(await exited).toEqual([130, null])
  })

  it('then takes no new requests, ends those in flight with their answer, and exits with 0', async () => {
    const { api_key } = await start('1')
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const text = JSON.stringify({ name: 'Slow sender' })
    void writer.write(Buffer.from(text.slice(0, 5)))
    const slow = fetch(`${server.url}/api/v1/orgs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: readable,
      duplex: 'half',
    } as RequestInit)
    // Answered on a later connection, so the server has surely accepted the slow one.
    expect(await statusOf('/healthz')).toBe(200)
    const exited = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    const seen = new Set<number | 'refused'>()
    await until(async () => {
      const status = await statusOf('/healthz').catch(() => 'refused' as const)
      seen.add(status)
      return status === 'refused'
    })
    expect([...seen]).toEqual([200, 'refused'])
    await writer.write(Buffer.from(text.slice(5)))
    await writer.close()
    expect((await slow).status).toBe(201)
    expect(await exited).toEqual([0, null])
  })
})
