import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CERTIFICATES } from '#test/kubernetes/fake-kubernetes-certificates.ts'
import { fakeResolve } from '#test/outside/internet.ts'
import { startMailServer } from '#test/outside/mail-server.ts'
import { createKeptConnections } from './kept-connections.ts'
import { createSendMail } from './mail/mail.ts'
import { createSafeFetch } from './safe-fetch.ts'

const [{ key, cert }, renewed] = CERTIFICATES
/** The certificate is for the first name and not for the second. Both lead to the same server. */
const NAMED = 'kubernetes.default.svc'
const OTHER = 'hooks.example'
const POST = { method: 'POST', body: '[]', keepConnection: true } as const
const REFUSED = { reason: 'connect', sent: false }

const trusted = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...trusted, cert]))
afterAll(() => setDefaultCACertificates(trusted))

describe('NO-08 a kept TLS connection', () => {
  let received: string[]
  let connections: number
  let time: number
  let port: number
  const keptConnections = createKeptConnections({ now: () => time })
  const resolve = fakeResolve({ [NAMED]: [['127.0.0.1']], [OTHER]: [['127.0.0.1']] })
  // With the connection of the product, which does the check, and not that of the other tests, which has no TLS.
  const safeFetch = createSafeFetch({ resolve, allowCidrs: ['127.0.0.0/8'], keptConnections })
  const server = createServer({ key, cert }, (request, response) => {
    received.push(`${request.headers.host}${request.url}`)
    if (request.url === '/moved') response.writeHead(308, { location: `https://${OTHER}:${port}/in` })
    request.resume().on('end', () => response.end('ok'))
  })
  const at = (name: string, path = '/in') => `https://${name}:${port}${path}`
  beforeAll(async () => {
    server.listen(0, '127.0.0.1').on('secureConnection', () => {
      connections += 1
    })
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    await keptConnections[Symbol.asyncDispose]()
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    received = []
    connections = 0
    // Nothing that an earlier test kept is used.
    time = (time ?? 0) + 60_000
    server.setSecureContext({ key, cert })
  })

  it('is used again for its own name only: another name at the same address needs a certificate of its own', async () => {
    await safeFetch(at(NAMED), POST)
    await safeFetch(at(NAMED), POST)
    expect(connections).toBe(1)
    await expect(safeFetch(at(OTHER), POST)).rejects.toMatchObject(REFUSED)
    await safeFetch(at(NAMED), POST)
    expect(received).toEqual(Array(3).fill(`${NAMED}:${port}/in`))
  })

  it('is not used for a redirect to another name at the same address', async () => {
    await safeFetch(at(NAMED), POST)
    const redirected = safeFetch(at(NAMED, '/moved'), { ...POST, redirects: 1 })
    await expect(redirected).rejects.toMatchObject(REFUSED)
    expect(received).toEqual([`${NAMED}:${port}/in`, `${NAMED}:${port}/moved`])
  })

  it('a connection after it checks the certificate anew, whatever the former one proved', async () => {
    await safeFetch(at(NAMED), POST)
    // Valid for the same names, but signed by nobody who is trusted.
    server.setSecureContext(renewed)
    time += 1_000
    await expect(safeFetch(at(NAMED), POST)).rejects.toMatchObject(REFUSED)
    expect(received).toEqual([`${NAMED}:${port}/in`])
  })
})

describe('NO-07 mail over TLS', () => {
  it('checks the name of the certificate for each mail, also after one that the same server took', async () => {
    await using server = await startMailServer({ key, cert, secure: true })
    const mail = {
      from: 'svc@example.com',
      to: 'ada@example.com',
      message: Buffer.from('Subject: Hello\r\n\r\nHello\r\n'),
    }
    const within = { signal: new AbortController().signal, timeoutMs: 10_000 }
    // Both reach the same address; the second asks for a certificate of another name.
    const sendNamed = createSendMail({ ...server.address, secure: true })
    const sendOther = createSendMail({ ...server.address, secure: true, tls: { servername: OTHER } })
    expect(await sendNamed(mail, within)).toEqual({ accepted: true, code: 250 })
    expect(await sendOther(mail, within)).toMatchObject({ accepted: false, stage: 'connect', reason: 'lost' })
    expect(await sendNamed(mail, within)).toEqual({ accepted: true, code: 250 })
    expect(server.received).toHaveLength(2)
    expect(server.connections).toBe(3)
  })
})
