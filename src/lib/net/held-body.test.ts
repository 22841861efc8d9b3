import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { startPeer } from '#test/outside/internet.ts'
import { createOperatorFetch } from './operator-fetch.ts'
import { createHostFetch } from './socket-fetch.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const FETCHES = [
  ['createOperatorFetch', () => createOperatorFetch({ bodyTimeoutMs: 0 })],
  [
    'createHostFetch',
    () => {
      const hostFetch = createHostFetch()
      const send = (request: Request) =>
        hostFetch({ host: '127.0.0.1', port: Number(new URL(request.url).port) }, request)
      return Object.assign(send, { [Symbol.asyncDispose]: () => hostFetch[Symbol.asyncDispose]() })
    },
  ],
] as const

/** In a function of its own, so that nothing keeps the request or the response. */
async function open(send: (request: Request) => Promise<Response>, port: number, signal: AbortSignal) {
  const response = await send(new Request(`http://127.0.0.1:${port}/`, { signal }))
  return response.body!.getReader()
}

test.each(FETCHES)('OP-03 a stream of %s ends at its abort, also after a garbage collection', async (_name, create) => {
  await using peer = await startPeer((_request, response) => void response.write('first'))
  await using send = create()
  const stopping = new AbortController()
  const reader = await open(send, peer.port, stopping.signal)
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('first')
  const second = reader.read()
  for (let n = 0; n < 10; n++) {
    collectGarbage()
    await nextTurn()
  }
  stopping.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
})

test.each(FETCHES)('OP-03 a body of %s that is read after the abort has its reason', async (_name, create) => {
  await using peer = await startPeer((_request, response) => void response.write('first'))
  await using send = create()
  const stopping = new AbortController()
  const reader = await open(send, peer.port, stopping.signal)
  stopping.abort(new Error('enough'))
  await expect(reader.read()).rejects.toThrow('enough')
  await expect(reader.closed).rejects.toThrow('enough')
})
