import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'

async function dumpFrom(lines: readonly string[]) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines.join('\n'))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const env = { SVC_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, SVC_API_KEY: 'svc_key' }
  return runSvc(['db', 'dump', 'shop'], { env })
}

const PART = '{"sql":"select 1;\\n","total_bytes":null}'

it('OP-08 a dump is printed as it came, and complete with its last record only', async () => {
  const last = '{"sql":"","total_bytes":20}'
  expect(await dumpFrom([PART, PART, last])).toEqual({ exit: 0, stdout: 'select 1;\nselect 1;\n', stderr: '' })
})

it.each([
  ['without its last record', [PART]],
  ['of which a part is missing', [PART, '{"sql":"","total_bytes":20}']],
])('OP-08 a dump %s is reported as not complete', async (_, lines) => {
  const { exit, stderr } = await dumpFrom(lines)
  expect(exit).toBe(1)
  expect(stderr).toContain('The dump of shop ended before it was complete. Try again.')
})
