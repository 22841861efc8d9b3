import { describe, expect, it } from 'vitest'
import { createDigests } from './digest.ts'

const KEY = 'ab'.repeat(32)
const ASKED = 'When is the café open?'
const of = (org: string, target: string, question: string, filters = {}, key = KEY) =>
  createDigests(key)(org, target, question, filters)
const hex = (org: string, target: string, question: string) => of(org, target, question).digest.toString('hex')

describe('DS-19 digests', () => {
  it('are HMAC-SHA-256 under the organization’s own key, 16 bytes kept, with the id of the key', () => {
    const { key_id, digest, filters_digest } = of('org_a', 'db_handbook', ASKED)
    expect([key_id, digest.toString('hex'), filters_digest]).toEqual([
      'cf893d5a',
      '95d8b312228d134e6fe7c8252fa20933',
      null,
    ])
    expect(hex('org_b', 'db_handbook', ASKED)).toBe('e710d17ffaedcf79f5b7de8411232fcc')
  })

  it('filters have a key of their own, and their order does not matter', () => {
    const filters = of('org_a', 'db_handbook', ASKED, { published: true, category: 'food' }).filters_digest
    expect(filters?.toString('hex')).toBe('25d317445e8374896babafc6f98d1b06')
    expect(of('org_a', 'db_handbook', 'other', { category: 'food', published: true }).filters_digest).toEqual(filters)
    expect(of('org_a', 'db_handbook', ASKED, { published: 'true', category: 'food' }).filters_digest).not.toEqual(
      filters,
    )
  })

  it('Unicode spellings of the same text have the same digest', () => {
    expect(hex('org_a', 'db_handbook', ASKED.normalize('NFD'))).toBe(hex('org_a', 'db_handbook', ASKED))
  })

  it('the name of the source cannot be confused with part of the question', () => {
    expect(hex('org_a', 'db_a', 'bc')).not.toBe(hex('org_a', 'db_ab', 'c'))
  })

  it('another data key makes another digest with another key id', () => {
    const [one, two] = [of('org_a', 'db_a', 'b'), of('org_a', 'db_a', 'b', {}, 'cd'.repeat(32))]
    expect(two.digest).not.toEqual(one.digest)
    expect(two.key_id).not.toBe(one.key_id)
  })
})
