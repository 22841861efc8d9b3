import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, createApp } from '#contract/apps/apps.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import type { Operation } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'
import type { Context, RouteOf } from '#edge/route/route.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { systemClock } from '#lib/time/clock.ts'
import { unknownPeople } from '#ports/people.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { createApps } from '../index.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const PRINCIPAL: Principal = {
  kind: 'user',
  id: 'usr_1',
  user_id: 'usr_1',
  org_id: 'org_01jd8y0v7wf9hbq7s7x2e3m4n5',
  role: 'owner',
  scopes: [],
  expires_at: null,
}

/** Calls an operation of an installation whose hosted auth service cannot say who the people are. */
async function call(op: Operation, input: unknown, isTemporary: boolean): Promise<unknown> {
  const answer = async () => unknownPeople({ isTemporary })
  const people = { member: answer, displayNames: answer, organization: answer }
  const sealer = createSealer(['ab'.repeat(32)])
  const urlOf = (label: string) => `https://${label}.apps.test`
  const { routes } = createApps({
    db: database.db,
    clock: systemClock,
    sealer,
    people,
    urlOf,
    deploysOff: undefined,
    logRetentionDays: 14,
    logBytesPerApp: 1024,
    maxStoreBytes: 0,
  })
  const route = routes.find((one) => one.op === op) as RouteOf<'json'>
  return route.answer(op.input.parse(input), { principal: PRINCIPAL } as Context)
}

describe('AU-09 MA-15 where a hosted auth service', () => {
  const input = { alias: 'shop', settings: { start_command: 'run' } }

  it('does not answer, no app is created and no part is given', async () => {
    await expect(call(createApp, input, true)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 })
  })

  it('has no token of the organization, an app has the id of the organization in its address', async () => {
    const app = (await call(createApp, input, false)) as App
    expect(app.url).toBe('https://shop--01jd8y0v7wf9hbq7s7x2e3m4n5.apps.test')
  })

  it.each([
    [true, 'The auth service does not answer. Try again.'],
    [false, 'The members of this organization are not known here. The operator must add a token'],
  ])('cannot be asked who is a member (for now: %s), nobody gets a part', async (isTemporary, message) => {
    const person = { alias: 'shop', user_id: 'usr_2', part: 'builder' }
    await expect(call(setAppPerson, person, isTemporary)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(message),
    })
  })
})
