import { expect, test } from 'vitest'
import { fakeConnect, fakeResolve, startPeer } from '#test/outside/internet.ts'
import { createAddressCheck, createSafeFetch } from './safe-fetch.ts'

const publicIp = '93.184.216.34'

const spellings = [
  '127.0.0.1',
  '[::1]',
  'localhost',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '１２７.０.０.１',
  '[::ffff:127.0.0.1]',
  '169.254.169.254',
  '[fd00::1]',
  '[::5efe:7f00:1]',
  '[64:ff9b::7f00:1]',
  '100.100.100.200',
  '168.63.129.16',
  '0.0.0.0',
  '[::]',
]

test.each(spellings)('NO-08 %s is refused at send without a connection', async (host) => {
  await using peer = await startPeer()
  const sending = createSafeFetch()(`http://${host}:${peer.port}/hook`, { method: 'POST', body: '[]' })
  await expect(sending).rejects.toMatchObject({ reason: 'refused_address', sent: false })
  expect(peer.connections).toBe(0)
})

test.each(spellings)('NO-08 %s is refused at save', async (host) => {
  await expect(createAddressCheck()(`https://${host}/hook`)).rejects.toMatchObject({ reason: 'refused_address' })
})

test('an address on the public internet may be saved', async () => {
  const resolve = fakeResolve({ 'hooks.example': [[publicIp]] })
  await expect(createAddressCheck({ resolve })('https://hooks.example/x')).resolves.toBeUndefined()
  await expect(createAddressCheck({ resolve })(`https://${publicIp}/x`)).resolves.toBeUndefined()
})

test.each([
  [publicIp, '10.0.0.5'],
  ['10.0.0.5', publicIp],
  [publicIp, '::1'],
])('NO-08 a name with one public and one private address is refused without a connection: %s, %s', async (...both) => {
  await using peer = await startPeer()
  const safeFetch = createSafeFetch({
    resolve: fakeResolve({ 'hooks.example': [both] }),
    connect: fakeConnect({ [publicIp]: peer, '10.0.0.5': peer, '::1': peer }),
  })
  await expect(safeFetch('https://hooks.example/')).rejects.toMatchObject({ reason: 'refused_address', sent: false })
  expect(peer.connections).toBe(0)
})

test('NO-08 a name that resolves to a private address after vetting still leads to the vetted address, and is refused the next time', async () => {
  await using outside = await startPeer()
  await using inside = await startPeer()
  const safeFetch = createSafeFetch({
    resolve: fakeResolve({ 'rebind.example': [[publicIp], ['127.0.0.1']] }),
    connect: fakeConnect({ [publicIp]: outside, '127.0.0.1': inside }),
  })
  await expect(safeFetch('http://rebind.example/')).resolves.toMatchObject({ status: 200 })
  await expect(safeFetch('http://rebind.example/')).rejects.toMatchObject({ reason: 'refused_address' })
  expect([outside.connections, inside.connections]).toEqual([1, 0])
})

test('NO-08 the system connection uses the vetted address without another DNS query', async () => {
  await using peer = await startPeer()
  const safeFetch = createSafeFetch({
    resolve: fakeResolve({ 'forum.invalid': [['127.0.0.1']] }),
    allowCidrs: ['127.0.0.0/8'],
  })
  await expect(safeFetch(`http://forum.invalid:${peer.port}/t`)).resolves.toMatchObject({ status: 200 })
  expect(peer.received[0]?.headers.host).toBe(`forum.invalid:${peer.port}`)
})

test('the allowed ranges open exactly the addresses they contain', async () => {
  await using peer = await startPeer()
  const safeFetch = createSafeFetch({ allowCidrs: ['127.0.0.1/32'] })
  await expect(safeFetch(`http://127.0.0.1:${peer.port}/`)).resolves.toMatchObject({ status: 200 })
  for (const host of ['127.0.0.2', '[::ffff:127.0.0.1]', '[::1]']) {
    await expect(safeFetch(`http://${host}:${peer.port}/`)).rejects.toMatchObject({ reason: 'refused_address' })
  }
  expect(peer.connections).toBe(1)
})

test.each([
  ['ftp://hooks.example/'],
  ['file:///etc/passwd'],
  ['data:text/plain,x'],
  ['hooks.example'],
  [''],
  ['https://user:pass@hooks.example/'],
  ['https://user@hooks.example/'],
  ['http://hooks.example:22/'],
  ['http://hooks.example:0/'],
  ['https://hooks.example:1023/'],
])('NO-08 %s is refused as a URL', async (url) => {
  const resolve = fakeResolve({ 'hooks.example': [[publicIp]] })
  await expect(createSafeFetch({ resolve })(url)).rejects.toMatchObject({ reason: 'refused_url', sent: false })
  await expect(createAddressCheck({ resolve })(url)).rejects.toMatchObject({ reason: 'refused_url' })
})

test('given ports replace the usual ones', async () => {
  const check = createAddressCheck({ resolve: fakeResolve({ 'hooks.example': [[publicIp]] }), ports: [443, 81] })
  await expect(check('http://hooks.example:81/')).resolves.toBeUndefined()
  await expect(check('https://hooks.example/')).resolves.toBeUndefined()
  await expect(check('https://hooks.example:8443/')).rejects.toMatchObject({ reason: 'refused_url' })
})
