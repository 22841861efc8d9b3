import { expect, it } from 'vitest'
import type { MailResult } from '#lib/net/mail/mail.ts'
import type { Outcome } from '../../model/outcome.ts'
import { classifyMail } from './classify.ts'

type Refused = Extract<MailResult, { accepted: false }>

const reply = (stage: Refused['stage'], code: number, enhancedCode?: string): Refused => {
  return { accepted: false, stage, reason: 'reply', code, enhancedCode }
}
const ended = (stage: Refused['stage'], reason: Refused['reason']): Refused => {
  return { accepted: false, stage, reason, code: undefined, enhancedCode: undefined }
}

const TABLE: readonly [string, MailResult, Outcome][] = [
  ['accepted', { accepted: true, code: 250 }, { type: 'sent' }],
  ['greeting 421', reply('connect', 421), { type: 'retry', reason: 'smtp_421' }],
  ['greeting 554', reply('connect', 554), { type: 'retry', reason: 'smtp_554' }],
  ['login 454', reply('login', 454), { type: 'retry', reason: 'smtp_454' }],
  ['login 535', reply('login', 535, '5.7.8'), { type: 'retry', reason: 'smtp_535' }],
  ['recipient 451', reply('envelope', 451, '4.7.1'), { type: 'retry', reason: 'smtp_451' }],
  ['recipient 550', reply('envelope', 550), { type: 'failed', reason: 'smtp_550' }],
  ['recipient 550 5.7.1', reply('envelope', 550, '5.7.1'), { type: 'failed', reason: 'smtp_550' }],
  ['recipient 550 5.1.1', reply('envelope', 550, '5.1.1'), { type: 'gone', reason: 'smtp_550' }],
  ['recipient 556 5.1.10', reply('envelope', 556, '5.1.10'), { type: 'gone', reason: 'smtp_556' }],
  ['sender 553', reply('envelope', 553), { type: 'failed', reason: 'smtp_553' }],
  ['message 452', reply('body', 452), { type: 'retry', reason: 'smtp_452' }],
  ['message 421', reply('body', 421), { type: 'retry', reason: 'smtp_421' }],
  ['message 554', reply('body', 554), { type: 'failed', reason: 'smtp_554' }],
  ['message 554 5.1.1', reply('body', 554, '5.1.1'), { type: 'failed', reason: 'smtp_554' }],
  ['no connection', ended('connect', 'lost'), { type: 'retry', reason: 'smtp_lost' }],
  ['no greeting', ended('connect', 'timeout'), { type: 'retry', reason: 'smtp_timeout' }],
  ['lost at login', ended('login', 'lost'), { type: 'retry', reason: 'smtp_lost' }],
  ['lost at recipient', ended('envelope', 'lost'), { type: 'retry', reason: 'smtp_lost' }],
  ['aborted at recipient', ended('envelope', 'aborted'), { type: 'retry', reason: 'smtp_aborted' }],
  ['invalid address', ended('envelope', 'invalid'), { type: 'failed', reason: 'invalid_address' }],
  ['lost in body', ended('body', 'lost'), { type: 'unknown', reason: 'smtp_lost' }],
  ['no answer to body', ended('body', 'timeout'), { type: 'unknown', reason: 'smtp_timeout' }],
  ['aborted in body', ended('body', 'aborted'), { type: 'unknown', reason: 'smtp_aborted' }],
]

it.each(TABLE)('NO-07 mail: %s', (_, result, outcome) => {
  expect(classifyMail(result)).toEqual(outcome)
})
