import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { answerWith, startRawPeer } from '#test/outside/raw-peer.ts'
import { watchProcessFaults } from '#test/process-faults.ts'
import { createHostFetch, SocketFetchError } from './socket-fetch.ts'

const BODY = `content-length: 100000\r\n\r\n${'x'.repeat(100_000)}`

test.each([
  ['status 999', `HTTP/1.1 999 Odd\r\n${BODY}`],
  ['status 999 and a short body', 'HTTP/1.1 999 Odd\r\ncontent-length: 5\r\n\r\nhello'],
  ['status 999 and half of its body', `HTTP/1.1 999 Odd\r\n${BODY.slice(0, -50_000)}`],
  ['status 999 and chunks', 'HTTP/1.1 999 Odd\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ['status 600', `HTTP/1.1 600 Odd\r\n${BODY}`],
  ['status 099', `HTTP/1.1 099 Odd\r\n${BODY}`],
  ['status 000', `HTTP/1.1 000 Odd\r\n${BODY}`],
  ['an upgrade that nobody asked for', 'HTTP/1.1 101 Odd\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\nbytes'],
  ['a NUL in a header', `HTTP/1.1 200 OK\r\nx-odd: a\0b\r\n${BODY}`],
  ['a header without a name', `HTTP/1.1 200 OK\r\n: b\r\n${BODY}`],
  ['no HTTP', 'SSH-2.0-odd\r\n\r\n'],
  ['nothing', ''],
])('OP-09 a server that answers with %s gets a failure, and the process goes on', async (_, answer) => {
  using watch = watchProcessFaults()
  await using peer = await startRawPeer(answerWith(answer))
  await using hostFetch = createHostFetch()
  const sent = hostFetch({ host: '127.0.0.1', port: peer.port }, new Request('http://app.example/'))
  await expect(sent).rejects.toBeInstanceOf(SocketFetchError)
  await nextTurn()
  await nextTurn()
  expect(watch.faults).toEqual([])
})

test.each(['resets the connection', 'answers 999'])(
  'OP-09 a server that %s while an upload runs ends the upload, and the process goes on',
  async (how) => {
    using watch = watchProcessFaults()
    await using peer = await startRawPeer((socket) =>
      socket.once('data', () =>
        how === 'answers 999' ? socket.end('HTTP/1.1 999 Odd\r\n\r\n') : socket.resetAndDestroy(),
      ),
    )
    await using hostFetch = createHostFetch()
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => cancelled.resolve(),
    })
    const init = { method: 'POST', body, duplex: 'half' as const }
    const request = new Request('http://app.example/', init)
    await expect(hostFetch({ host: '127.0.0.1', port: peer.port }, request)).rejects.toBeInstanceOf(SocketFetchError)
    await cancelled.promise
    await nextTurn()
    expect(watch.faults).toEqual([])
  },
)
