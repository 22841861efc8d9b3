import { createPrivateKey } from 'node:crypto'
import { isThisMachine } from '#lib/net/address/loopback.ts'
import type { MailServer } from '#lib/net/mail/mail.ts'
import type { DkimKey, MailAddress } from '#lib/net/mail/mail-message.ts'
import type { EnvironmentReader } from './reader.ts'
import type { ServiceName } from './service-table.ts'

const LOCAL_FROM: MailAddress = { name: 'svc', address: 'svc@localhost' }

/**
 * Only the worker sends mail. Another service has to know only that there is a mail server: the rest may be missing where
 * all services share one Secret and the sender is set for the worker alone.
 */
export function readMail(read: EnvironmentReader, services: readonly ServiceName[]) {
  const isSender = services.includes('worker')
  /** Undefined when no mail can be sent. */
  const server = readServer(read)
  const from = readFrom(read)
  if (isSender && server && !from)
    read.fault('SVC_MAIL_FROM is required with SVC_SMTP_URL: the address that mail is sent from')
  const dkim = isSender ? readDkim(read, from) : skipDkim(read)
  return Object.freeze({ server, from: from ?? LOCAL_FROM, dkim })
}

/** A password is never sent without TLS, except to this machine. */
function readServer(read: EnvironmentReader): MailServer | undefined {
  const text = read.url('SVC_SMTP_URL', ['smtp:', 'smtps:'])
  const url = text === undefined ? null : URL.parse(text)
  if (!url) return undefined
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || url.search || url.hash) {
    read.fault('SVC_SMTP_URL must be smtp://user:password@host:port or smtps://user:password@host:port')
    return undefined
  }
  const secure = url.protocol === 'smtps:'
  const hasCredentials = url.username !== ''
  return Object.freeze({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTls: hasCredentials && !isThisMachine(url.hostname),
    credentials: hasCredentials
      ? { user: decoded(read, url.username), password: decoded(read, url.password) }
      : undefined,
  })
}

function decoded(read: EnvironmentReader, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    read.fault('SVC_SMTP_URL has a user or password that is not percent-encoded: write % as %25')
    return text
  }
}

const ADDRESS = /^[^\s@<>",;:]+@[^\s@<>",;:]+$/

/** Accepts an address, or a name and an address in angle brackets. */
function readFrom(read: EnvironmentReader): MailAddress | undefined {
  const text = read.text('SVC_MAIL_FROM')
  if (text === undefined) return undefined
  const [, name = 'svc', address = text] = /^(.*?)\s*<([^<>]*)>$/.exec(text) ?? []
  if (!ADDRESS.test(address)) {
    read.fault('SVC_MAIL_FROM must be an address such as svc@example.com or svc <svc@example.com>')
    return undefined
  }
  return Object.freeze({ name: name.replace(/^"(.*)"$/, '$1'), address })
}

/** The signature is by the domain of the sender, as DMARC requires. */
function readDkim(read: EnvironmentReader, from: MailAddress | undefined): DkimKey | undefined {
  const privateKey = read.text('SVC_DKIM_KEY')?.replaceAll('\\n', '\n')
  const selector = read.text('SVC_DKIM_SELECTOR')
  if (privateKey === undefined && selector === undefined) return undefined
  if (privateKey === undefined || selector === undefined || from === undefined) {
    read.fault('SVC_DKIM_KEY, SVC_DKIM_SELECTOR and SVC_MAIL_FROM must be set together')
    return undefined
  }
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(selector)) read.fault('SVC_DKIM_SELECTOR must be a DNS name')
  if (!isRsaKey(privateKey)) read.fault('SVC_DKIM_KEY must be an RSA private key of at least 1024 bits in PEM format')
  return Object.freeze({ domain: from.address.slice(from.address.lastIndexOf('@') + 1), selector, privateKey })
}

/** Every setting is looked up on every path, so that misspelt names can be compared with it. */
function skipDkim(read: EnvironmentReader): undefined {
  read.text('SVC_DKIM_KEY')
  read.text('SVC_DKIM_SELECTOR')
}

function isRsaKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 1024
  } catch {
    return false
  }
}
