import { expect, it } from 'vitest'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { testClock } from '#lib/time/clock.ts'
import { requireFirstUse } from './first-use.ts'

const ISSUER = 'https://id.company.test'
const NOON = new Date('2026-02-03T12:00:00Z')
const assertion = { id: 'jti-1', expiresAt: new Date('2026-02-03T12:00:01Z') }

it('AU-22 an assertion is accepted once also by a process whose clock is half a minute behind', async () => {
  const storeClock = testClock(NOON)
  const kv = openMemoryStore(storeClock)
  await requireFirstUse({ kv, clock: testClock(NOON) }, ISSUER, assertion)
  storeClock.advance(20_000)
  const behind = testClock(new Date('2026-02-03T11:59:50Z'))
  await expect(requireFirstUse({ kv, clock: behind }, ISSUER, assertion)).rejects.toMatchObject({
    code: 'invalid_grant',
  })
})
