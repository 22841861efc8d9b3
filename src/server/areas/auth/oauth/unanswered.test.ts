import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'
import { until } from '#test/until.ts'

describe('a refresh whose answer is lost because the process is killed', () => {
  // The library knows only the time of the machine: both start together.
  const clock = testClock(new Date())
  let c: Connector
  let person: Person
  let clientId: string
  beforeAll(async () => {
    c = await startConnector({ clock })
    person = await c.person()
    clientId = await c.client()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  const grantIsLive = async (accessToken: string) => {
    const { gid } = decodeJwt<{ gid: string }>(accessToken)
    const [row] = await c.system.db.query<{ live: boolean }>(
      sql`select revoked_at is null as live from platform_access_grants where id = ${gid}`,
    )
    return row?.live ?? false
  }

  const answered = async (grantId: string) => {
    const rows = await c.system.db.query<{ is_answered: boolean }>(sql`
      select is_answered from auth.oauth_artifacts where grant_id = ${grantId} and consumed_at is not null`)
    return rows.map(({ is_answered }) => is_answered)
  }

  it('AU-20 a successor that was used ends the repetition of an unanswered refresh too', async () => {
    const first = await c.connect(person, clientId)
    const second = await c.refresh(clientId, first.refresh_token)
    expect((await c.refresh(clientId, second.body.refresh_token!)).status).toBe(200)
    const { gid } = decodeJwt<{ gid: string }>(first.access_token)
    await until(async () => (await answered(gid)).every((is_answered) => is_answered))
    await c.system.db.query(sql`update auth.oauth_artifacts set is_answered = false where grant_id = ${gid}`)
    clock.advance(36_000)
    expect((await c.refresh(clientId, first.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
  })

  it('AU-20 a refresh whose answer was never sent is repeated however late, in several windows, and only then', async () => {
    const first = await c.connect(person, clientId)
    const second = await c.refresh(clientId, first.refresh_token)
    const { gid } = decodeJwt<{ gid: string }>(first.access_token)
    // A process that is killed before it answers leaves this.
    await until(async () => (await answered(gid)).every((is_answered) => is_answered))
    await c.system.db.query(sql`update auth.oauth_artifacts set is_answered = false where grant_id = ${gid}`)
    clock.advance(7 * 24 * 3_600_000)
    const windows = await Promise.all([1, 2, 3].map(() => c.refresh(clientId, first.refresh_token)))
    const same = { status: 200, body: { refresh_token: second.body.refresh_token } }
    expect(windows).toMatchObject([same, same, same])
    clock.advance(29_000)
    expect((await c.refresh(clientId, first.refresh_token)).status).toBe(200)
    clock.advance(36_000)
    expect((await c.refresh(clientId, first.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
    expect(await grantIsLive(first.access_token)).toBe(false)
  })
})
