import { buffer } from 'node:stream/consumers'
import type { OutgoingMail } from './mail.ts'

export type MailAddress = { readonly name: string; readonly address: string }

/** Signs as the domain. The public key is at `<selector>._domainkey.<domain>`. */
export type DkimKey = { readonly domain: string; readonly selector: string; readonly privateKey: string }

type MailContent = {
  readonly from: MailAddress
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Without angle brackets. The same for every attempt, so that mail stores can recognise a repetition. */
  readonly messageId: string
  readonly date: Date
  readonly headers: Readonly<Record<string, string>>
}

/** RFC 8058 section 4 requires that a signature covers both headers of a one-click unsubscribe link. */
const SIGNED_HEADERS = [
  'From',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'To',
  'MIME-Version',
  'Content-Type',
  'Auto-Submitted',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
].join(':')

/** Builds the complete message, signed when there is a key. Reads no file and fetches nothing. */
export async function composeMail(content: MailContent, dkim: DkimKey | undefined): Promise<OutgoingMail> {
  const { from, to, subject, text, html, messageId, date, headers } = content
  // Loaded only here, because most processes send no mail.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const node = new MailComposer({
    from: { ...from },
    to: { name: '', address: to },
    subject: literalHeader(subject),
    text,
    html,
    messageId: `<${messageId}>`,
    date,
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  const envelope = node.getEnvelope()
  const unsigned = await node.build()
  const message = dkim === undefined ? unsigned : await sign(unsigned, dkim)
  // An address that the composer cannot read is handed on as it is: sending refuses it.
  return { from: from.address, to: envelope.to.length === 1 ? envelope.to[0]! : to, message }
}

/** Bytes of text in one encoded word, which is at most 75 characters long (RFC 2047 section 2). */
const MAX_WORD_BYTES = 45

/**
 * Returns text for a header in a form that mail programs show as it is. The composer encodes what is not ASCII and leaves
 * the rest, so that text which looks like an encoded word (`=?utf-8?q?…?=`) would be shown decoded: people type subjects.
 */
function literalHeader(text: string): string {
  if (!text.includes('=?')) return text
  const words = ['']
  for (const character of text) {
    const extended = words.at(-1)! + character
    if (Buffer.byteLength(extended) > MAX_WORD_BYTES) words.push(character)
    else words[words.length - 1] = extended
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ')
}

/** Throws when the key cannot sign, because nodemailer would then send the message without a signature. */
async function sign(message: Buffer, { domain, selector, privateKey }: DkimKey): Promise<Buffer> {
  const { default: DKIM } = await import('nodemailer/lib/dkim')
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey, headerFieldNames: SIGNED_HEADERS })
  const signed = await buffer(signer.sign(message))
  if (!/^DKIM-Signature:/i.test(signed.subarray(0, 20).toString('latin1'))) throw new Error('the DKIM key cannot sign')
  return signed
}
