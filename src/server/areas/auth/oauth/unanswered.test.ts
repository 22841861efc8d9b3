import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'
import { needs } from '#test/stores.ts'
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

needs('postgres')('a refresh whose caller goes away before the answer', () => {
  const clock = testClock(new Date())

  it('AU-20 it is repeated however late: an answer that nobody took does not count', async () => {
    await using c = await startConnector({ clock })
    const { db, url } = c.system
    const clientId = await c.client()
    const first = await c.connect(await c.person(), clientId)
    const { gid } = decodeJwt<{ gid: string }>(first.access_token)
    const consumed = () =>
      db.query<{ is_answered: boolean }>(sql`
        select is_answered from auth.oauth_artifacts
        where kind = 'RefreshToken' and grant_id = ${gid} and consumed_at is not null`)
    const caller = new AbortController()
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token,
      client_id: clientId,
    })
    await db.tx(async (tx) => {
      await tx.query(sql`lock table auth.oauth_artifacts in exclusive mode`)
      const refresh = fetch(`${url}/oauth/token`, { method: 'POST', body, signal: caller.signal })
      const isWaiting = sql`select from pg_locks where not granted and relation = 'auth.oauth_artifacts'::regclass`
      await until(async () => (await tx.query(isWaiting)).length > 0)
      caller.abort()
      await expect(refresh).rejects.toThrow()
    })
    await until(async () => (await consumed()).length === 1)
    // Another agent that connects and refreshes meanwhile: an answer that is counted would be recorded by then.
    const other = await c.connect(await c.person(), clientId)
    expect((await c.refresh(clientId, other.refresh_token)).status).toBe(200)
    clock.advance(7 * 24 * 3_600_000)
    expect(await consumed()).toEqual([{ is_answered: false }])
    expect((await c.refresh(clientId, first.refresh_token)).status).toBe(200)
  })
})
