import { describe, expect, it } from 'vitest'
import { CannotOpen, createSealer } from './seal.ts'

const [oldKey, newKey, otherKey] = ['ab'.repeat(32), 'cd'.repeat(32), 'ef'.repeat(32)]
const CONTEXT = 'database-password:ds_1'
const sealer = createSealer([oldKey])

describe('a sealed value', () => {
  it.each(['', 'a password ü', '\0', '漢🎉', 'x'.repeat(100_000)])('opens to what it was', (plain) => {
    const sealed = sealer.seal(plain, CONTEXT)
    expect(sealer.open(sealed, CONTEXT)).toBe(plain)
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/)
  })

  it('stays readable: a value sealed in the past still opens', () => {
    const sealedEarlier = 'v1.cf893d5a.UO5ukVmQTKv-cLwY1zAHgEELnaM1defjd_nY65S7QD4flWTrXTI5ly0'
    expect(sealer.open(sealedEarlier, CONTEXT)).toBe('a password ü')
  })

  it('differs each time and does not reveal its content', () => {
    const sealed = Array.from({ length: 100 }, () => sealer.seal('a password', CONTEXT))
    expect(new Set(sealed).size).toBe(100)
    expect(Buffer.from(sealed[0]!.split('.')[2]!, 'base64url').includes('a password')).toBe(false)
  })

  it('does not open with another context', () => {
    const sealed = sealer.seal('a password', CONTEXT)
    for (const context of ['', 'database-password:ds_2', 'database-password:ds_1 ', 'Database-password:ds_1']) {
      expect(() => sealer.open(sealed, context)).toThrow(new CannotOpen('changed, or sealed for something else'))
    }
  })

  it('does not open when any bit of it was changed', () => {
    const [version, id, text] = sealer.seal('a password', CONTEXT).split('.')
    const body = Buffer.from(text!, 'base64url')
    for (let bit = 0; bit < body.length * 8; bit += 1) {
      const changed = Buffer.from(body)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => sealer.open(`${version}.${id}.${changed.toString('base64url')}`, CONTEXT)).toThrow(CannotOpen)
    }
  })

  it('does not open when it was cut short or made longer', () => {
    const [version, id, text] = sealer.seal('', CONTEXT).split('.')
    const body = Buffer.from(text!, 'base64url')
    for (let length = 0; length < body.length; length += 1) {
      const cut = body.subarray(0, length).toString('base64url')
      expect(() => sealer.open(`${version}.${id}.${cut}`, CONTEXT)).toThrow(CannotOpen)
    }
    const longer = Buffer.concat([body, Buffer.alloc(1)]).toString('base64url')
    expect(() => sealer.open(`${version}.${id}.${longer}`, CONTEXT)).toThrow(CannotOpen)
  })

  it.each(['', 'v1', 'v1.', 'plain text', 'v2.cf893d5a.AAAA', 'v1.cf893d5a', 'v1.cf893d5a.!'])(
    'is refused as %j',
    (text) => {
      expect(() => sealer.open(text, CONTEXT)).toThrow(CannotOpen)
    },
  )
})

describe('keys', () => {
  it('can be replaced: the first seals, and the former still opens', () => {
    const before = sealer.seal('kept', CONTEXT)
    const rotated = createSealer([newKey, oldKey])
    expect(rotated.open(before, CONTEXT)).toBe('kept')
    const after = rotated.seal('new', CONTEXT)
    expect(createSealer([newKey]).open(after, CONTEXT)).toBe('new')
    expect(() => sealer.open(after, CONTEXT)).toThrow(CannotOpen)
  })

  it('that are not configured are named by id', () => {
    const sealed = sealer.seal('kept', CONTEXT)
    expect(() => createSealer([newKey, otherKey]).open(sealed, CONTEXT)).toThrow(
      new CannotOpen('sealed under key cf893d5a, which is not configured'),
    )
  })

  it('are case-insensitive hex', () => {
    expect(createSealer([oldKey.toUpperCase()]).open(sealer.seal('kept', CONTEXT), CONTEXT)).toBe('kept')
  })

  it('do not open a value under the id of another key', () => {
    const text = createSealer([newKey]).seal('kept', CONTEXT).split('.')[2]
    expect(() => createSealer([oldKey, newKey]).open(`v1.cf893d5a.${text}`, CONTEXT)).toThrow(CannotOpen)
  })
})
