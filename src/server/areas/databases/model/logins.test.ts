import { expect, it } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { createLogins } from './logins.ts'

function counted() {
  const clock = testClock(new Date('2026-03-01T12:00:00Z'))
  const logins = createLogins<string>(clock)
  let found = 0
  const find = async () => {
    found++
    return `postgres://r:${found}@127.0.0.1:1/d_1`
  }
  return { clock, logins, of: () => logins.of('org_1 notes', find) }
}

it('a login is found once in five seconds', async () => {
  const { clock, of } = counted()
  const first = await of()
  expect(await of()).toBe(first)
  clock.advance(5_000)
  expect(await of()).not.toBe(first)
})

it('that of a dropped database is not used again, also when it was found while that went on', async () => {
  const { logins, of } = counted()
  const first = await of()
  logins.forgetAll()
  const finding = of()
  logins.forgetAll()
  const second = await finding
  expect([second === first, (await of()) === second]).toEqual([false, false])
})
