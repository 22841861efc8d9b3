import { describe, expect, it } from 'vitest'
import { deriveKey, equalSecrets, HEX_KEY, hmac, keyEpoch, masterKey } from './keys.ts'

const master = Buffer.from(Array.from({ length: 32 }, (_, byte) => byte))
const [ones, twos] = ['11'.repeat(32), '22'.repeat(32)]

// The expected bytes were computed with another implementation of RFC 5869 and RFC 2104.
describe('keys', () => {
  it('are derived by purpose and never change for the same secrets', () => {
    expect(deriveKey(master, 'purpose').toString('hex')).toBe(
      'bcf014698cf9453274888ad7c02548aae5387ede696c97a54eefedbb4379fea3',
    )
    expect(deriveKey(master, 'another')).not.toEqual(deriveKey(master, 'purpose'))
    expect(deriveKey(Buffer.alloc(32), 'purpose')).not.toEqual(deriveKey(master, 'purpose'))
  })

  it('depend on both signing secrets', () => {
    expect(masterKey(ones, twos).toString('hex')).toBe(
      'fa88b50a79037d86caaf19da7733fb43719069599ff0ac6c4ddc30a722114e08',
    )
    const others = [masterKey(twos, ones), masterKey(ones, ones), masterKey(twos, twos)]
    expect(new Set([masterKey(ones, twos), ...others].map((key) => key.toString('hex'))).size).toBe(4)
  })

  it('have an epoch that changes with them', () => {
    expect(keyEpoch(masterKey(ones, twos))).toBe('a2f3770ea2c6f7b2')
    expect(keyEpoch(masterKey(twos, ones))).not.toBe('a2f3770ea2c6f7b2')
  })

  it('produce the HMAC-SHA-256 of a text', () => {
    expect(hmac(master, 'some text ü').toString('hex')).toBe(
      'aaa256752396ea98a8f74ed4d5fcfce367ca9fda84d84e3ca25d48aa63b16c80',
    )
    expect(hmac(master, 'some text u')).not.toEqual(hmac(master, 'some text ü'))
  })

  it.each([
    ['', '', true],
    ['svcop_abc', 'svcop_abc', true],
    ['svcop_abc', 'svcop_abd', false],
    ['svcop_abc', 'svcop_ab', false],
    ['', 'x', false],
    ['ä', 'a', false],
  ])('compare %j with %j: %s', (a, b, equal) => {
    expect(equalSecrets(a, b)).toBe(equal)
  })

  it.each([
    [ones, true],
    ['aB'.repeat(32), true],
    ['11'.repeat(31), false],
    ['11'.repeat(33), false],
    [`${'11'.repeat(31)}1g`, false],
    [`${ones}\n`, false],
    ['', false],
  ])('as hex are 32 bytes: %j', (text, right) => {
    expect(HEX_KEY.test(text)).toBe(right)
  })
})
