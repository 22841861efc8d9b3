import { describe, expect, it } from 'vitest'
import { createAllowance } from './allowance.ts'

describe('DS-18 an organization that has asked enough', () => {
  it('is not searched for again before its question is spent, until one may be', async () => {
    let left = 1
    const allowance = createAllowance(async () => {
      if (left-- <= 0) throw new Error('enough')
    })
    await allowance.spend('org_1')
    expect(allowance.wasRefused('org_1')).toBe(false)
    await expect(allowance.spend('org_1')).rejects.toThrow('enough')
    expect([allowance.wasRefused('org_1'), allowance.wasRefused('org_2')]).toEqual([true, false])
    left = 1
    await allowance.spend('org_1')
    expect(allowance.wasRefused('org_1')).toBe(false)
  })
})
