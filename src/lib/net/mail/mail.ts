import { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { refuseInTransaction } from '../../db/transaction-guard.ts'

/** The mail server that takes all outgoing mail. It is the operator's, so its address is not vetted. */
export type MailServer = {
  readonly host: string
  readonly port: number
  /** True for TLS from the first byte. Otherwise STARTTLS is used where the server offers it. */
  readonly secure: boolean
  /** True to send nothing, not even the password, over a connection without TLS. */
  readonly requireTls: boolean
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  readonly tls?: ConnectionOptions
}

export type OutgoingMail = {
  readonly from: string
  readonly to: string
  /** The complete message with its headers (RFC 5322). */
  readonly message: Uint8Array
}

/** How far the exchange had come. `body` begins with the first byte of the message. */
type MailStage = 'connect' | 'login' | 'envelope' | 'body'

export type MailResult =
  | { readonly accepted: true; readonly code: number }
  | {
      readonly accepted: false
      readonly stage: MailStage
      /**
       * `reply`: the server refused with `code`. `lost`: the connection could not be made or broke. `invalid`: the mail
       * cannot be sent to any server, for example because an address contains a line break.
       */
      readonly reason: 'reply' | 'lost' | 'timeout' | 'aborted' | 'invalid'
      /** The reply code (RFC 5321 section 4.2), from 400 to 599. */
      readonly code: number | undefined
      /** The enhanced status code (RFC 3463), such as `5.1.1`. */
      readonly enhancedCode: string | undefined
    }

export type SendMail = (
  mail: OutgoingMail,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<MailResult>

/**
 * Creates the only way out for mail. Each call makes one connection and one attempt. It reports the stage at which an
 * attempt ended, because after the first byte of the body a lost connection leaves open whether the mail was accepted.
 */
export function createSendMail(server: MailServer): SendMail {
  return async (mail, { signal, timeoutMs }) => {
    refuseInTransaction('sending mail')
    // Loaded only here, because most processes send no mail.
    const { default: Connection } = await import('nodemailer/lib/smtp-connection')
    const connection = new Connection(connectionOptions(server, timeoutMs))
    return new Promise((resolve) => attempt({ server, connection }, mail, { signal, timeoutMs, resolve }))
  }
}

type Attempt = { signal: AbortSignal; timeoutMs: number; resolve: (result: MailResult) => void }

type To = { server: MailServer; connection: SMTPConnection }

function attempt({ server, connection }: To, mail: OutgoingMail, { signal, timeoutMs, resolve }: Attempt): void {
  let stage: MailStage = 'connect'
  let isOver = false
  const settle = (result: MailResult): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    if (result.accepted) connection.quit()
    else connection.close()
    resolve(result)
  }
  const stop = (reason: 'lost' | 'timeout' | 'aborted') => settle(withoutReply(stage, reason))
  const fail = (error: SmtpError) => settle(describeFailure(error, stage))
  const onAbort = () => stop('aborted')
  const timer = setTimeout(() => stop('timeout'), timeoutMs)
  const body = new Readable({
    read() {
      // A body that leaves after the result was reported could be sent a second time by the next attempt.
      if (isOver) return void this.destroy()
      stage = 'body'
      this.push(mail.message)
      this.push(null)
    },
  })
  const send = (): void => {
    stage = 'envelope'
    connection.send({ from: mail.from, to: [mail.to] }, body, (error, info) => {
      if (error) fail(error)
      else settle({ accepted: true, code: Number.parseInt(info.response, 10) })
    })
  }
  const login = ({ user, password: pass }: NonNullable<MailServer['credentials']>): void => {
    stage = 'login'
    connection.login({ user, pass }, (error) => (error ? fail(error) : send()))
  }

  connection.on('error', fail)
  connection.once('end', () => stop('lost'))
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  else {
    connection.connect((error) => {
      if (error) fail(error)
      else if (server.credentials) login(server.credentials)
      else send()
    })
  }
}

function connectionOptions({ host, port, secure, requireTls, tls }: MailServer, timeoutMs: number) {
  return {
    host,
    port,
    secure,
    requireTLS: requireTls && !secure,
    // Later than our own deadline, which knows the stage. They end what quit() leaves open.
    connectionTimeout: timeoutMs + 1000,
    greetingTimeout: timeoutMs + 1000,
    socketTimeout: timeoutMs + 1000,
    ...(tls && { tls }),
  }
}

type SmtpError = Error & {
  response?: string | undefined
  responseCode?: number | undefined
  command?: string | undefined
}

/** Only a reply from 400 to 599 refuses the mail. Any other reply that nodemailer calls an error proves nothing. */
function describeFailure({ response, responseCode: code, command }: SmtpError, stage: MailStage): MailResult {
  if (code !== undefined && code >= 400 && code < 600) {
    const enhancedCode = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1]
    return { accepted: false, stage, reason: 'reply', code, enhancedCode }
  }
  return withoutReply(stage, command === 'API' && stage === 'envelope' ? 'invalid' : 'lost')
}

function withoutReply(stage: MailStage, reason: 'lost' | 'timeout' | 'aborted' | 'invalid'): MailResult {
  return { accepted: false, stage, reason, code: undefined, enhancedCode: undefined }
}
