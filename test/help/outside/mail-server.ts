import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { MailServer } from '#lib/net/mail/mail.ts'

/** A real mail server on loopback. */
export interface TestMailServer extends AsyncDisposable {
  /** How to reach it. */
  readonly address: MailServer
  /** Accepted mails, as they arrived. */
  readonly received: { readonly to: readonly string[]; readonly from: string; readonly message: Buffer }[]
  /** Number of connections that were made. */
  connections: number
  /** Breaks all open connections off. */
  drop(): void
}

/** Error that smtp-server answers with the code and text. */
export function smtpRefusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode })
}

/** Starts a server that takes all mail without a login and without TLS, except for what `options` changes. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const received: TestMailServer['received'] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onData: (stream, { envelope }, done) => {
      void buffer(stream).then((message) => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), message })
        done()
      })
    },
    ...options,
  })
  // Connections that a test breaks off are reported here.
  server.on('error', () => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.server.address() as AddressInfo
  const testServer: TestMailServer = {
    address: { host: '127.0.0.1', port, secure: false, requireTls: false, credentials: undefined },
    received,
    connections: 0,
    drop: () => {
      for (const { _socket } of server.connections as Set<{ _socket: Socket }>) _socket.destroy()
    },
    [Symbol.asyncDispose]: () => {
      testServer.drop()
      return new Promise((done) => server.close(() => done()))
    },
  }
  server.server.on('connection', () => {
    testServer.connections += 1
  })
  return testServer
}
