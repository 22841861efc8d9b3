import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { validateToken } from '#contract/auth.ts'
import { createClient } from '#contract/client.ts'
import { createInvitation } from '#contract/members.ts'
import { startSupport } from '#contract/support.ts'
import { createToken } from '#contract/tokens.ts'
import { createSealer } from '#lib/seal.ts'
import { findSecrets } from '../../../test/help/canary.ts'
import { type System, startSystem } from '../../../test/help/system.ts'
import { authKeys } from './deps.ts'
import { startSession } from './sessions.ts'
import { signUserJwt } from './user-jwt.ts'

describe('secrets', () => {
  let system: System
  const secrets: Record<string, string> = {}

  beforeAll(async () => {
    system = await startSystem()
    const owner = await system.member('owner')
    const client = system.client(owner.token)
    const keys = authKeys(system.config.secrets.jwtSecret!, system.config.secrets.jwtSigningKey!)
    const now = new Date()
    const session = await system.db.tx((tx) => startSession(tx, { keys }, { ...owner, now }))
    Object.assign(secrets, {
      'the operator’s token of a member': owner.token,
      'an API token': (await client.call(createToken, { name: 'ci' })).token,
      'a session': session.secret,
      'a user JWT': (await signUserJwt({ keys, clock: { now: () => now } }, session.id, owner.user_id)).token,
      'a support session': (
        await system.operator.call(startSupport, { org_id: owner.org_id, staff_email: 's@x.example', reason: 'r' })
      ).token,
      'an invitation': (
        await client.call(createInvitation, { org_id: owner.org_id, email: 'a@x.example', role: 'viewer' })
      ).token,
    })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const validate = (where: System, token: string) =>
    createClient({ baseUrl: where.url, fetch }).call(validateToken, { token })

  it('AU-08 rotating either signing secret kills every credential without a purge, and nothing sealed', async () => {
    const { secrets: before } = system.config
    const sealed = createSealer(before.dataKeys).seal('a database password', 'database-password:ds_1')
    const usable = Object.entries(secrets).filter(([what]) => what !== 'an invitation')
    for (const [what, token] of usable)
      expect([what, (await validate(system, token)).principal.org_id]).toEqual([what, expect.any(String)])
    for (const rotated of ['SVC_JWT_SECRET', 'SVC_JWT_SIGNING_KEY']) {
      const env = {
        SVC_JWT_SECRET: before.jwtSecret,
        SVC_JWT_SIGNING_KEY: before.jwtSigningKey,
        SVC_DATA_KEY: before.dataKeys[0],
        [rotated]: 'ef'.repeat(32),
      }
      await using after = await startSystem({ on: system, env })
      for (const [what, token] of usable) {
        await expect(validate(after, token), `${what} after rotating ${rotated}`).rejects.toMatchObject({
          code: 'INVALID_TOKEN',
        })
      }
      expect(createSealer(after.config.secrets.dataKeys).open(sealed, 'database-password:ds_1')).toBe(
        'a database password',
      )
    }
  })

  it('no secret stands in any table or log line, as it is or encoded', async () => {
    const all = [...Object.values(secrets), ...system.secrets]
    expect(all.length).toBeGreaterThan(6)
    expect(await findSecrets(system.db, system.logs, all)).toEqual([])
  })
})
