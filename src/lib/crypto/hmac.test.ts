import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHmacSha256 } from './hmac.ts'

const hex = (key: Buffer, message: string | Buffer) => createHmacSha256(key)(message).toString('hex')

describe('HMAC-SHA-256', () => {
  it('gives the results of RFC 4231', () => {
    expect(hex(Buffer.alloc(20, 0x0b), 'Hi There')).toBe(
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    )
    expect(hex(Buffer.from('Jefe'), 'what do ya want for nothing?')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
    const longKey = Buffer.alloc(131, 0xaa)
    expect(hex(longKey, 'Test Using Larger Than Block-Size Key - Hash Key First')).toBe(
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    )
  })

  it('equals that of Node for any key and message, as bytes and as text', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ unit: fc.constantFrom('a', 'é', '漢', '👩', '\0'), maxLength: 200 }),
        (key, text) => {
          const expected = createHmac('sha256', key).update(text).digest('hex')
          const hmac = createHmacSha256(key)
          expect(hmac(text).toString('hex')).toBe(expected)
          expect(hmac(Buffer.from(text)).toString('hex')).toBe(expected)
        },
      ),
    )
  })
})
