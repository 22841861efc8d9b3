import { describe, expect, it } from 'vitest'
import { ID_PREFIXES, isId, newId } from './ids.ts'

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const bitsOf = (id: string) =>
  id.slice(id.indexOf('_') + 1).replace(/./g, (digit) => DIGITS.indexOf(digit).toString(2).padStart(5, '0'))

describe('an id', () => {
  it.each(ID_PREFIXES)('of %s is its prefix and 26 characters', (prefix) => {
    const id = newId(prefix)
    expect(id).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
    expect(isId(prefix, id)).toBe(true)
  })

  it('is a UUID of version 7 that tells its time', () => {
    const now = Date.now() + 60_000
    const bits = bitsOf(newId('evt', now)).slice(2)
    expect(Number.parseInt(bits.slice(0, 48), 2)).toBe(now)
    expect([bits.length, bits.slice(48, 52), bits.slice(64, 66)]).toEqual([128, '0111', '10'])
  })

  it('sorts after all before it, 100,000 in a row', () => {
    let last = newId('evt')
    for (let made = 0; made < 100_000; made += 1) {
      const id = newId('evt')
      if (id <= last) expect([last, id]).toEqual(['smaller', 'larger'])
      last = id
    }
  })

  it('sorts after all before it, also when the clock stands still or goes back', () => {
    const now = Date.now() + 120_000
    const ids = [now, now, now - 1_000, now - 60_000, now, now + 1].map((ms) => newId('evt', ms))
    const still = Array.from({ length: 10_000 }, () => newId('evt', now))
    const all = [...ids, ...still]
    expect(all.toSorted()).toEqual(all)
    expect(new Set(all).size).toBe(all.length)
  })

  it('cannot be guessed from the one before it', () => {
    const tails = Array.from({ length: 10_000 }, () => newId('tok').slice(-12))
    expect(new Set(tails).size).toBe(10_000)
  })

  it.each([
    ['org', 'org_01h455vb4pex5vsknk084sn02q', true],
    ['org', 'org_7zzzzzzzzzzzzzzzzzzzzzzzzz', true],
    ['org', 'org_8zzzzzzzzzzzzzzzzzzzzzzzzz', false],
    ['org', 'usr_01h455vb4pex5vsknk084sn02q', false],
    ['org', 'org_01H455VB4PEX5VSKNK084SN02Q', false],
    ['org', 'org_01h455vb4pex5vsknk084sn02', false],
    ['org', 'org_01h455vb4pex5vsknk084sn02qq', false],
    ['org', 'org_01h455vb4pex5vsknk084sn02q\n', false],
    ['org', 'org_01h455vb4pex5vsknk084sn02u', false],
    ['org', "org_01h455vb4pex5vsknk084sn02'", false],
    ['pl', 'plr_01h455vb4pex5vsknk084sn02q', false],
    ['org', '', false],
  ] as const)('of %s: %j is one: %s', (prefix, text, right) => {
    expect(isId(prefix, text)).toBe(right)
  })
})
