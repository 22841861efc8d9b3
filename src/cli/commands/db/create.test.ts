import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'

it('DS-01 svc db create prints what the server warns of on stderr, and only the result on stdout', async () => {
  const database = { name: 'docs', state: 'ready', created_at: '2026-11-15T12:00:00.000Z', data_source: null }
  const server = createServer((_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...database, warnings: ['bubblewrap is not installed: owners must be trusted'] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { SVC_API_URL: url, SVC_API_KEY: 'svc_key', npm_command: 'exec' }
  const { exit, stdout, stderr } = await runSvc(['db', 'create', 'docs'], { env })
  server.close()
  expect(exit).toBe(0)
  expect(stdout).toBe('The database docs is ready.\n')
  expect(stderr).toContain('Warning: bubblewrap is not installed: owners must be trusted')
  expect(stderr).toContain('Print its connection string with: npx svc db connect docs -q')
})
