import { expect, it } from 'vitest'
import { startRawPeer } from '#test/outside/raw-peer.ts'
import { movedToDoor } from './moved.ts'

it('CO-03 a request at the former address of an app is sent on with its method and body', async () => {
  let received = ''
  await using app = await startRawPeer((socket) => {
    socket.on('data', (bytes) => {
      received += bytes.toString()
      if (received.endsWith('an order')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  })
  const request = new Request('http://shop.localhost/buy?n=1', { method: 'POST', body: 'an order' })
  const moved = movedToDoor(request, 'shop', { domain: 'localhost', port: app.port })
  expect(moved.status).toBe(307)
  const location = `//shop.localhost:${app.port}/buy?n=1`
  expect(moved.headers.get('location')).toBe(location)
  await using svc = await startRawPeer((socket) => {
    const there = location.replace('shop.localhost', '127.0.0.1')
    socket.once('data', () =>
      socket.end(`HTTP/1.1 ${moved.status} Moved\r\nlocation: ${there}\r\ncontent-length: 0\r\n\r\n`),
    )
  })
  const response = await fetch(`http://127.0.0.1:${svc.port}/`, { method: 'POST', body: 'an order' })
  expect(response.status).toBe(200)
  expect(received).toMatch(/^POST \/buy\?n=1 HTTP\/1\.1\r\n/)
  expect(received).toMatch(/\r\n\r\nan order$/)
})
