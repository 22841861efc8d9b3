import { describe, expect, it } from 'vitest'
import { refuseInsecureAddress } from '#lib/net/address/refuse-insecure.ts'
import { clientSecretByMetadata, promptByMetadata } from './generic-client.ts'

const SERVER = { issuer: 'https://id.test' }

function sent(id: string, secret: string, methods?: string[]) {
  const body = new URLSearchParams()
  const headers = new Headers()
  const server = { ...SERVER, ...(methods && { token_endpoint_auth_methods_supported: methods }) }
  clientSecretByMetadata(secret)(server, { client_id: id }, body, headers)
  return { header: headers.get('authorization'), form: Object.fromEntries(body) }
}
const basic = (text: string) => ({ header: `Basic ${Buffer.from(text).toString('base64')}`, form: {} })

describe('AU-05 what an unknown provider is sent', () => {
  it.each([
    ['no methods', undefined, basic('my-app:se.cr_et-1')],
    ['both methods', ['client_secret_post', 'client_secret_basic'], basic('my-app:se.cr_et-1')],
    [
      'the form only',
      ['client_secret_post'],
      { header: null, form: { client_id: 'my-app', client_secret: 'se.cr_et-1' } },
    ],
    ['neither', ['private_key_jwt'], basic('my-app:se.cr_et-1')],
  ])('the client secret, where the metadata names %s', (_, methods, expected) => {
    expect(sent('my-app', 'se.cr_et-1', methods)).toEqual(expected)
  })

  it('encodes what would be read wrongly in the header', () => {
    expect(sent('a:b', 'c%d é', undefined)).toEqual(basic('a%3Ab:c%25d+%C3%A9'))
  })

  it.each([
    ['nothing about prompts', undefined, [{}, { prompt: 'login' }]],
    ['other prompts', ['login'], [{}, { prompt: 'login' }]],
    ['the choice of an account', ['select_account'], [{ prompt: 'select_account' }, { prompt: 'select_account' }]],
  ])('asks who signs in and who links, where the metadata names %s', (_, prompts, expected) => {
    const server = { ...SERVER, ...(prompts && { prompt_values_supported: prompts }) }
    expect([promptByMetadata(server, false), promptByMetadata(server, true)]).toEqual(expected)
  })

  it('sends nothing without TLS to another machine', () => {
    expect(() => refuseInsecureAddress('http://id.test/token')).toThrow('without TLS: http://id.test')
    expect(() => refuseInsecureAddress('http://127.0.0.1.evil.test/token')).toThrow('without TLS')
    for (const address of ['https://id.test/token', 'http://localhost:9000/token', 'http://[::1]/token']) {
      expect(() => refuseInsecureAddress(address)).not.toThrow()
    }
  })
})
