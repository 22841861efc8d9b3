import { expect, it } from 'vitest'
import { knownPeople, type Person } from '#ports/people.ts'
import { createPersonValues } from './person.ts'

it('DS-28 a changed address holds within 5 seconds, however often its former owner asks', async () => {
  let now = Date.parse('2026-06-01T12:00:00.000Z')
  let member: Person | undefined = {
    user_id: 'usr_1',
    email: 'support@example.com',
    display_name: 'Bob',
    role: 'viewer',
  }
  const valuesOf = createPersonValues({
    clock: { now: () => new Date(now) },
    people: { member: async () => knownPeople(member) },
  })
  const ask = () => valuesOf({ 'app.email': 'email' }, { org_id: 'org_1', user_id: 'usr_1', role: 'viewer' })
  expect(await ask()).toEqual({ 'app.email': 'support@example.com' })

  member = { ...member, email: 'bob@example.com' }
  now += 4_000
  expect(await ask()).toEqual({ 'app.email': 'support@example.com' })
  now += 4_000
  expect(await ask()).toEqual({ 'app.email': 'bob@example.com' })

  member = undefined
  now += 4_000
  await ask()
  now += 4_000
  await expect(ask()).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
