import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { readStatus } from './status.ts'

it('OP-07 an app that says as its script that it ends is believed for five seconds', async () => {
  const stream = new PassThrough()
  let now = 1_000
  const status = readStatus(stream, undefined, () => now)
  expect(status.isEnding()).toBe(false)
  stream.write('{"exit":{"code":0}}\n')
  await until(() => status.isEnding())
  now += 4_999
  stream.end('{"exit":{"code":0}}\n')
  await once(stream, 'close')
  expect(status.isEnding()).toBe(true)
  now += 1
  expect(status.isEnding()).toBe(false)
})

it.each([
  ['an exit code', '{"exit":{"code":3}}', { code: 3, description: 'exit code 3', by: 'itself' }],
  ['a signal', '{"exit":{"signal":"SIGTERM"}}', { code: null, description: 'signal SIGTERM', by: 'itself' }],
  [
    'a signal that is none',
    '{"exit":{"signal":"SIG\\u0000"}}',
    { code: null, description: 'an unknown signal', by: 'itself' },
  ],
  [
    'a fault with characters that cannot be stored',
    '{"failed":"no\\u0000\\ud800 port"}',
    { code: null, description: 'it could not be run: no  port', by: 'svc' },
  ],
  [
    'nothing that makes sense',
    '[1]\nnull\nx\n{"exit":1}',
    { code: null, description: 'an unknown signal', by: 'itself' },
  ],
])('MA-15 an app that writes %s as its own status is described in words that can be stored', async (_, lines, end) => {
  const stream = new PassThrough()
  const status = readStatus(stream)
  status.ready.catch(() => {})
  stream.end(`${lines}\n`)
  await once(stream, 'close')
  expect(status.exit()).toEqual(end)
})
