import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { insideTransaction, TransactionMisuse } from '#lib/db/transaction-guard.ts'
import { CERTIFICATES } from '#test/kubernetes/fake-kubernetes-certificates.ts'
import { smtpRefusal, startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { createSendMail, type MailServer, type OutgoingMail } from './mail.ts'

const MAIL: OutgoingMail = {
  from: 'svc@example.com',
  to: 'mara@example.org',
  message: Buffer.from('Subject: hello\r\n\r\n.a line that begins with a dot\r\n'),
}
const NEVER = new AbortController().signal
const sendOnce = (server: MailServer, mail = MAIL, signal = NEVER, timeoutMs = 60_000) =>
  createSendMail(server)(mail, { signal, timeoutMs })
const ended = { accepted: false, code: undefined, enhancedCode: undefined } as const

describe('sending mail', () => {
  it('NO-07 an accepted mail arrives unchanged at its recipient', async () => {
    await using server = await startMailServer()
    expect(await sendOnce(server.address)).toEqual({ accepted: true, code: 250 })
    expect(server.received).toEqual([{ from: MAIL.from, to: [MAIL.to], message: Buffer.from(MAIL.message) }])
  })

  it.each([
    [550, '5.1.1 no such mailbox', '5.1.1'],
    [451, '4.7.1 greylisted', '4.7.1'],
    [452, 'too many', undefined],
  ])('NO-07 a recipient refused with %i is reported before the body', async (code, text, enhancedCode) => {
    await using server = await startMailServer({ onRcptTo: (_, __, done) => done(smtpRefusal(code, text)) })
    expect(await sendOnce(server.address)).toEqual({
      accepted: false,
      stage: 'envelope',
      reason: 'reply',
      code,
      enhancedCode,
    })
  })

  it('NO-07 a sender that is refused is reported before the body', async () => {
    await using server = await startMailServer({ onMailFrom: (_, __, done) => done(smtpRefusal(553, 'not yours')) })
    expect(await sendOnce(server.address)).toMatchObject({ stage: 'envelope', reason: 'reply', code: 553 })
  })

  it.each([554, 451])('NO-07 a refusal with %i after the body is a refusal', async (code) => {
    await using server = await startMailServer({
      onData: (stream, _, done) => stream.on('end', () => done(smtpRefusal(code, 'no'))).resume(),
    })
    expect(await sendOnce(server.address)).toMatchObject({ accepted: false, stage: 'body', reason: 'reply', code })
  })

  it('NO-07 a connection that nobody accepts is lost before the body', async () => {
    const server = await startMailServer()
    await server[Symbol.asyncDispose]()
    expect(await sendOnce(server.address)).toEqual({ ...ended, stage: 'connect', reason: 'lost' })
  })

  it('NO-07 a connection closed before the greeting is lost before the body', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const address = { host: '127.0.0.1', port, secure: false, requireTls: false, credentials: undefined }
    expect(await sendOnce(address)).toEqual({ ...ended, stage: 'connect', reason: 'lost' })
    server.close()
  })

  it('NO-07 a greeting with 554 is a refusal', async () => {
    await using server = await startMailServer({ onConnect: (_, done) => done(smtpRefusal(554, 'go away')) })
    expect(await sendOnce(server.address)).toMatchObject({ stage: 'connect', reason: 'reply', code: 554 })
  })

  it('NO-07 a connection that breaks at the recipient is lost before the body', async () => {
    await using server: TestMailServer = await startMailServer({ onRcptTo: () => server.drop() })
    expect(await sendOnce(server.address)).toEqual({ ...ended, stage: 'envelope', reason: 'lost' })
  })

  it('NO-07 a connection that breaks at the first byte of the body is lost in the body', async () => {
    await using server: TestMailServer = await startMailServer({
      onData: (stream) => stream.once('data', () => server.drop()),
    })
    expect(await sendOnce(server.address)).toEqual({ ...ended, stage: 'body', reason: 'lost' })
  })

  it('NO-07 a connection that breaks after the final dot is lost in the body', async () => {
    await using server: TestMailServer = await startMailServer({
      onData: (stream) => stream.on('end', () => server.drop()).resume(),
    })
    expect(await sendOnce(server.address)).toEqual({ ...ended, stage: 'body', reason: 'lost' })
  })

  it('NO-07 a server that never greets times out before the body', async () => {
    await using server = await startMailServer({ onConnect: () => {} })
    expect(await sendOnce(server.address, MAIL, NEVER, 200)).toEqual({ ...ended, stage: 'connect', reason: 'timeout' })
  })

  it('NO-07 an attempt that is aborted while the server holds the body ends in the body', async () => {
    const controller = new AbortController()
    await using server = await startMailServer({
      onData: (stream) => stream.on('end', () => controller.abort()).resume(),
    })
    const result = await sendOnce(server.address, MAIL, controller.signal)
    expect(result).toEqual({ ...ended, stage: 'body', reason: 'aborted' })
  })

  it('NO-07 an attempt that is aborted before the body hands no body over', async () => {
    const controller = new AbortController()
    await using server = await startMailServer({
      onRcptTo: (_, __, done) => {
        controller.abort()
        setImmediate(done)
      },
    })
    const result = await sendOnce(server.address, MAIL, controller.signal)
    expect(result).toEqual({ ...ended, stage: 'envelope', reason: 'aborted' })
    expect(server.received).toEqual([])
  })

  it('NO-07 an address with a line break is refused without a command to the server', async () => {
    await using server = await startMailServer()
    const mail = { ...MAIL, to: 'mara@example.org>\r\nRCPT TO:<eve@example.net' }
    expect(await sendOnce(server.address, mail)).toEqual({ ...ended, stage: 'envelope', reason: 'invalid' })
    expect(server.received).toEqual([])
  })

  it('NO-07 mail is not sent inside a transaction', async () => {
    await using server = await startMailServer()
    await expect(insideTransaction(() => sendOnce(server.address))).rejects.toThrow(TransactionMisuse)
    expect(server.connections).toBe(0)
  })
})

describe('login and TLS of the mail server', () => {
  const credentials = { user: 'svc', password: 'correct' }
  const { key, cert } = CERTIFICATES[0]
  const withTls = { disabledCommands: [], key, cert }
  const onAuth: NonNullable<Parameters<typeof startMailServer>[0]>['onAuth'] = ({ username, password }, _, done) =>
    username === 'svc' && password === 'correct' ? done(null, { user: 1 }) : done(new Error('Invalid login'))

  it('NO-07 a password that is refused is reported at the login', async () => {
    await using server = await startMailServer({ authOptional: false, allowInsecureAuth: true, onAuth })
    const wrong = { ...server.address, credentials: { ...credentials, password: 'wrong' } }
    expect(await sendOnce(wrong)).toMatchObject({ stage: 'login', reason: 'reply', code: 535 })
    expect(await sendOnce({ ...server.address, credentials })).toEqual({ accepted: true, code: 250 })
  })

  it('NO-07 STARTTLS is used where it is offered, with a certificate that must be valid', async () => {
    await using server = await startMailServer({ ...withTls, authOptional: false, onAuth })
    expect(await sendOnce({ ...server.address, credentials })).toEqual({ ...ended, stage: 'connect', reason: 'lost' })
    expect(await sendOnce({ ...server.address, credentials, tls: { ca: cert } })).toEqual({ accepted: true, code: 250 })
  })

  it('NO-07 a connection that TLS is required for is given up before the login when there is none', async () => {
    let isPasswordSent = false
    await using server = await startMailServer({
      allowInsecureAuth: true,
      onAuth: (_, __, done) => {
        isPasswordSent = true
        done(null, { user: 1 })
      },
    })
    const result = await sendOnce({ ...server.address, credentials, requireTls: true })
    expect(result).toMatchObject({ accepted: false, stage: 'connect' })
    expect(isPasswordSent).toBe(false)
    expect(server.received).toEqual([])
  })

  it('NO-07 TLS from the first byte works', async () => {
    await using server = await startMailServer({ key, cert, secure: true })
    expect(await sendOnce({ ...server.address, secure: true, tls: { ca: cert } })).toEqual({
      accepted: true,
      code: 250,
    })
  })
})
