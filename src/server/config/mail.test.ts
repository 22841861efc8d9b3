import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readMail } from './mail.ts'
import { type Environment, EnvironmentReader } from './reader.ts'
import type { ServiceName } from './service-table.ts'

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
const FROM = { SVC_MAIL_FROM: 'svc@example.com' }

function read(env: Environment, services: readonly ServiceName[] = ['auth-service', 'worker']) {
  const reader = new EnvironmentReader(env)
  return { settings: readMail(reader, services), faults: reader.faults }
}

describe('settings of outgoing mail', () => {
  it.each([
    [
      'smtp://user:p%40ss@mail.example.com',
      {
        host: 'mail.example.com',
        port: 587,
        secure: false,
        requireTls: true,
        credentials: { user: 'user', password: 'p@ss' },
      },
    ],
    [
      'smtps://user:pass@mail.example.com',
      {
        host: 'mail.example.com',
        port: 465,
        secure: true,
        requireTls: true,
        credentials: { user: 'user', password: 'pass' },
      },
    ],
    [
      'smtp://user:pass@127.0.0.1:2525',
      {
        host: '127.0.0.1',
        port: 2525,
        secure: false,
        requireTls: false,
        credentials: { user: 'user', password: 'pass' },
      },
    ],
    ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, requireTls: false, credentials: undefined }],
  ])('NO-09 %s is read', (url, server) => {
    expect(read({ ...FROM, SVC_SMTP_URL: url })).toMatchObject({ settings: { server }, faults: [] })
  })

  it.each([
    ['svc@example.com', { name: 'svc', address: 'svc@example.com' }],
    ['Acme Notifications <svc@example.com>', { name: 'Acme Notifications', address: 'svc@example.com' }],
    ['"Acme, Inc." <svc@example.com>', { name: 'Acme, Inc.', address: 'svc@example.com' }],
  ])('NO-09 the sender %s is read', (text, from) => {
    expect(read({ SVC_MAIL_FROM: text })).toMatchObject({ settings: { from }, faults: [] })
  })

  it.each([
    ['another protocol', { ...FROM, SVC_SMTP_URL: 'http://mail.example.com' }],
    ['a path', { ...FROM, SVC_SMTP_URL: 'smtp://mail.example.com/x' }],
    ['a password that is not encoded', { ...FROM, SVC_SMTP_URL: 'smtp://u:%zz@mail.example.com' }],
    ['no sender', { SVC_SMTP_URL: 'smtp://mail.example.com' }],
    ['a sender without a domain', { SVC_MAIL_FROM: 'svc' }],
    ['two senders', { SVC_MAIL_FROM: 'a@example.com, b@example.com' }],
    ['a key without its selector', { ...FROM, SVC_DKIM_KEY: RSA.toString() }],
    ['a selector without its key', { ...FROM, SVC_DKIM_SELECTOR: 'svc' }],
    ['a key without a sender', { SVC_DKIM_KEY: RSA.toString(), SVC_DKIM_SELECTOR: 'svc' }],
    ['a key that is not RSA', { ...FROM, SVC_DKIM_KEY: EC.toString(), SVC_DKIM_SELECTOR: 'svc' }],
    ['a key that is none', { ...FROM, SVC_DKIM_KEY: 'secret', SVC_DKIM_SELECTOR: 'svc' }],
    ['a selector that is no name', { ...FROM, SVC_DKIM_KEY: RSA.toString(), SVC_DKIM_SELECTOR: 'a; b' }],
  ])('NO-09 %s is one fault that shows no secret', (_, env: Environment) => {
    const { faults } = read(env)
    expect(faults).toHaveLength(1)
    expect(faults[0]).not.toContain('secret')
    expect(faults[0]).not.toContain('%zz')
  })

  it.each([
    ['a mail server', { SVC_SMTP_URL: 'smtp://mail.example.com' }],
    ['a key', { SVC_DKIM_KEY: RSA.toString(), SVC_DKIM_SELECTOR: 'svc' }],
    ['a key without its selector', { SVC_DKIM_KEY: RSA.toString() }],
  ])('NO-09 a service that sends no mail needs no sender for %s, which a shared Secret sets', (_, env: Environment) => {
    const { settings, faults } = read(env, ['auth-service'])
    expect([faults, settings.server !== undefined, settings.dkim]).toEqual([[], 'SVC_SMTP_URL' in env, undefined])
  })

  it('NO-09 a key may have its line breaks written as \\n, and signs as the domain of the sender', () => {
    const env = { ...FROM, SVC_DKIM_KEY: RSA.toString().trim().replaceAll('\n', '\\n'), SVC_DKIM_SELECTOR: 'svc' }
    expect(read(env)).toEqual({
      settings: expect.objectContaining({
        dkim: { domain: 'example.com', selector: 'svc', privateKey: RSA.toString().trim() },
      }),
      faults: [],
    })
  })
})
