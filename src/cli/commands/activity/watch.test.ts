import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'

const call = (id: string, status: number | null) => ({
  id,
  target: 'shop/greet',
  source: 'cli',
  principal: { kind: 'api_token', id: 'tok_1' },
  user_id: 'usr_1',
  user_name: 'Ada',
  asked_at: '2026-11-16T12:00:00.000Z',
  duration_ms: status === null ? null : 5,
  answer_bytes: status === null ? null : 9,
  status,
})

it('DS-20 svc activity --watch prints each call once as a line of JSON, until it is refused', async () => {
  const pages = [[call('a', 200)], [call('b', null), call('a', 200)], [call('b', 503), call('a', 200)]]
  const server = createServer((_request, response) => {
    const items = pages.shift()
    response.writeHead(items ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(items ? { items, next_cursor: null } : { code: 'INVALID_TOKEN', detail: 'Revoked.' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { exit, stdout } = await runSvc(['activity', '--watch', '--json'], {
    env: { SVC_API_URL: url, SVC_API_KEY: 'svc_key' },
  })
  server.close()
  const lines = stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([call('a', 200), call('b', 503)])
  expect(exit).toBe(3)
})
