import { expect, it } from 'vitest'
import { actorOf } from './actor.ts'

it('AU-18 actions in a support session are audited under the staff member’s name', () => {
  expect(actorOf({ id: 'sup_1', support: { staff_email: 'sam@vendor.example' } })).toBe('sam@vendor.example (sup_1)')
  expect(actorOf({ id: 'usr_1' })).toBe('usr_1')
})
