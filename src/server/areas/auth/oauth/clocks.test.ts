import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type Connector, type Person, startConnector, startReplica } from '#test/agents/connector.ts'
import { until } from '#test/until.ts'

describe.each([
  ['ahead', 4_999],
  ['behind', -4_999],
])('two servers, the clock of the second five seconds %s', (_, difference) => {
  const start = Date.now()
  const clocks = [testClock(new Date(start)), testClock(new Date(start + difference))] as const
  let first: Connector
  let second: Connector
  let person: Person
  let clientId: string
  beforeAll(async () => {
    first = await startConnector({ clock: clocks[0] })
    second = await startReplica(first, { clock: clocks[1] })
    person = await first.person()
    clientId = await first.client()
  })
  afterAll(async () => {
    await second?.[Symbol.asyncDispose]()
    await first?.[Symbol.asyncDispose]()
  })

  const advance = (ms: number) => {
    for (const clock of clocks) clock.advance(ms)
  }
  const isLive = async ({ access_token }: { access_token: string }) => {
    const { gid } = decodeJwt<{ gid: string }>(access_token)
    const [row] = await first.system.db.query<{ live: boolean }>(
      sql`select revoked_at is null as live from platform_access_grants where id = ${gid}`,
    )
    return row!.live
  }

  const isAnswered = async ({ access_token }: { access_token: string }) => {
    const { gid } = decodeJwt<{ gid: string }>(access_token)
    const [row] = await first.system.db.query<{ is_answered: boolean }>(sql`
      select bool_and(is_answered) as is_answered from auth.oauth_artifacts where grant_id = ${gid}`)
    return row!.is_answered
  }

  it('AU-20 a refresh at one, repeated at the other within 30 seconds, gets the same successor', async () => {
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const tokens = await one.connect(person, clientId)
      const { body } = await one.refresh(clientId, tokens.refresh_token)
      advance(29_999)
      const again = await other.refresh(clientId, tokens.refresh_token)
      expect([again.status, again.body.refresh_token]).toEqual([200, body.refresh_token])
    }
  })

  it('AU-20 a late window within 10 seconds is refused at the other without revoking, and after 20 it revokes', async () => {
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const tokens = await one.connect(person, clientId)
      const { body } = await one.refresh(clientId, tokens.refresh_token)
      await one.refresh(clientId, body.refresh_token!)
      advance(9_999)
      expect((await other.refresh(clientId, tokens.refresh_token)).status).toBe(400)
      expect(await isLive(tokens)).toBe(true)
      advance(10_001)
      expect((await other.refresh(clientId, tokens.refresh_token)).status).toBe(400)
      expect(await isLive(tokens)).toBe(false)
    }
  })

  it('AU-14 a refresh token that is reused at the other after 40 seconds revokes the grant', async () => {
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const tokens = await one.connect(person, clientId)
      await one.refresh(clientId, tokens.refresh_token)
      // A server records that it answered after the answer is on its way, and the other one reads that record.
      await until(() => isAnswered(tokens))
      advance(40_000)
      expect((await other.refresh(clientId, tokens.refresh_token)).status).toBe(400)
      expect(await isLive(tokens)).toBe(false)
    }
  })
})
