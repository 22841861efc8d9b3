import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeMember } from '#contract/auth/members.ts'
import { createToken, revokeToken } from '#contract/auth/tokens.ts'
import { listSlimSources } from '#contract/data-sources/sources.ts'
import { testClock } from '#lib/time/clock.ts'
import { type System, startSystem } from '#test/system.ts'

describe('AU-09 a revoked token', () => {
  const clock = testClock(new Date())
  let here: System
  let there: System
  beforeAll(async () => {
    here = await startSystem({ clock })
    const { jwtSecret, jwtSigningKey } = here.config.secrets
    there = await startSystem({
      clock,
      on: here,
      env: { SVC_JWT_SECRET: jwtSecret, SVC_JWT_SIGNING_KEY: jwtSigningKey },
    })
  })
  afterAll(async () => {
    await there?.[Symbol.asyncDispose]()
    await here?.[Symbol.asyncDispose]()
  })

  const ask = (system: System, token: string) => system.client(token).call(listSlimSources, {})

  it('is refused at once in the process that revoked it, and within five seconds in every other', async () => {
    const owner = await here.member('owner')
    const { id, token } = await here.client(owner.token).call(createToken, { name: 'short-lived' })
    await ask(here, token)
    await ask(there, token)
    await here.client(owner.token).call(revokeToken, { id })
    await expect(ask(here, token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    clock.advance(5_000)
    await expect(ask(there, token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  })

  it('of a removed member is refused at once too, and within five seconds in every other process', async () => {
    const owner = await here.member('owner')
    const member = await here.member('admin', owner.org_id)
    await ask(there, member.token)
    await here.client(owner.token).call(removeMember, { org_id: owner.org_id, user_id: member.user_id })
    await expect(ask(here, member.token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    clock.advance(5_000)
    await expect(ask(there, member.token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  })
})
