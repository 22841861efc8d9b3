import { createSecretKey, randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createHmacSha256 } from './hmac.ts'
import { isFor, readHs256, signHs256 } from './hs256.ts'

const secret = randomBytes(32)
const key = createSecretKey(secret)
const hmac = createHmacSha256(secret)
const CLAIMS = { iss: 'a', aud: 'b', sub: 'c', exp: 2_000_000_000, ä: '“x”' }
const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

describe('a token under a shared key', () => {
  it('AU-13 is compatible with tokens of the jose library, in both directions', async () => {
    const token = signHs256(CLAIMS, 'x+jwt', hmac)
    expect((await jwtVerify(token, key, { algorithms: ['HS256'], typ: 'x+jwt' })).payload).toEqual(CLAIMS)
    const theirs = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', typ: 'x+jwt' }).sign(key)
    expect(readHs256(theirs, 'x+jwt', hmac)).toEqual(CLAIMS)
  })

  const sign = (header: { alg: string; typ?: string }) => new SignJWT(CLAIMS).setProtectedHeader(header).sign(key)

  it('AU-13 is refused with another key, type or algorithm, or with anything changed', async () => {
    const good = signHs256(CLAIMS, 'x+jwt', hmac)
    const [head, body, signature] = good.split('.') as [string, string, string]
    const refused: Record<string, string> = {
      'another key': signHs256(CLAIMS, 'x+jwt', createHmacSha256(randomBytes(32))),
      'another type': signHs256(CLAIMS, 'y+jwt', hmac),
      'no type': await sign({ alg: 'HS256' }),
      'a longer hash': await sign({ alg: 'HS512', typ: 'x+jwt' }),
      'no signature': `${part({ alg: 'none', typ: 'x+jwt' })}.${body}.`,
      'a signature without an algorithm': `${part({ alg: 'none', typ: 'x+jwt' })}.${body}.${signature}`,
      'a signature of RS256': `${part({ alg: 'RS256', typ: 'x+jwt' })}.${body}.${signature}`,
      'other claims': `${head}.${part({ ...CLAIMS, sub: 'd' })}.${signature}`,
      'a part more': `${good}.x`,
      'a part less': `${head}.${body}`,
      'a padded signature': `${good}=`,
      'another spelling of the signature': `${good.slice(0, -1)}${otherLast(signature)}`,
      'a space': ` ${good}`,
      nothing: '',
    }
    expect(readHs256(good, 'x+jwt', hmac)).toEqual(CLAIMS)
    for (const [what, token] of Object.entries(refused)) expect(readHs256(token, 'x+jwt', hmac), what).toBeUndefined()
  })

  /** The last letter of 32 bytes carries two bits too many: others decode to the same bytes. */
  function otherLast(signature: string): string {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    return letters[letters.indexOf(signature.at(-1)!) ^ 1]!
  }

  it.each([
    ['good', {}, true],
    ['another issuer', { iss: 'x' }, false],
    ['another audience', { aud: 'x' }, false],
    ['a list of audiences', { aud: ['b', 'x'] }, false],
    ['nobody', { sub: undefined }, false],
    ['over', { exp: 1000 }, false],
    ['over, by a second that clocks may differ', { exp: 1_999_999_999 }, true],
    ['without an end', { exp: undefined }, false],
    ['with an end in words', { exp: '2000000000' }, false],
    ['not yet', { nbf: 2_000_000_100 }, false],
  ])('AU-13 is checked by its claims: %s', (_, over, fits) => {
    const expected = { issuer: 'a', audience: 'b', now: 1_999_999_999, clockSeconds: 5 }
    expect(isFor({ ...CLAIMS, ...over }, expected)).toBe(fits)
  })
})
