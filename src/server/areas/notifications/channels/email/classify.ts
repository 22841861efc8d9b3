import type { MailResult } from '#lib/net/mail/mail.ts'
import type { Outcome } from '../../model/outcome.ts'

/** Returns the outcome of an attempt to send a mail. Only a reply, or an end before the body, proves non-delivery. */
export function classifyMail(result: MailResult): Outcome {
  if (result.accepted) return { type: 'sent' }
  const { stage, reason, code, enhancedCode } = result
  if (code !== undefined) return fromReply(stage, code, enhancedCode)
  if (reason === 'invalid') return { type: 'failed', reason: 'invalid_address' }
  return stage === 'body' ? { type: 'unknown', reason: `smtp_${reason}` } : { type: 'retry', reason: `smtp_${reason}` }
}

/** The mailbox does not exist, or has moved (RFC 3463 section 3.2; 5.1.10 is a null MX, RFC 7505). */
const GONE_CODES = ['5.1.1', '5.1.6', '5.1.10']

type Refused = Extract<MailResult, { accepted: false }>

/** A refusal before the envelope is about our connection or password, so it may end when the operator corrects these. */
function fromReply(stage: Refused['stage'], code: number, enhancedCode: string | undefined): Outcome {
  const reason = `smtp_${code}`
  if (code < 500 || stage === 'connect' || stage === 'login') return { type: 'retry', reason }
  if (stage === 'envelope' && enhancedCode !== undefined && GONE_CODES.includes(enhancedCode)) {
    return { type: 'gone', reason }
  }
  return { type: 'failed', reason }
}
