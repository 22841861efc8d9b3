import { afterAll, beforeAll, expect, it } from 'vitest'
import { listDatabases } from '#contract/databases.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { sql } from '#lib/db/sql.ts'
import { startTestArea, type TestArea } from '#test/databases/databases-area.ts'
import { type OwnPlatform, startOwnPlatform } from '#test/databases/own-platform.ts'
import { needs } from '#test/stores.ts'
import { startSystem } from '#test/system.ts'
import { untilDone } from '#test/until.ts'

const LIMIT_MS = 500

needs('postgres')('a Postgres that is paused', () => {
  let platform: OwnPlatform
  let area: TestArea
  beforeAll(async () => {
    platform = await startOwnPlatform()
    area = startTestArea(platform.db, platform.url, LIMIT_MS)
    await area.make('notes')
  })
  afterAll(async () => {
    platform?.server.resume()
    await area?.[Symbol.asyncDispose]()
    await platform?.[Symbol.asyncDispose]()
  })

  it('DS-21 ends every read and every owner’s statement in its limit, and is read again when it goes on', async () => {
    const [reader, owner] = [await area.open('notes', 'reader'), await area.open('notes', 'owner')]
    const pid = sql`select pg_backend_pid() as pid`
    const read = () => reader.reads((on) => on.query<{ pid: number }>(pid), sql`select 1`)
    const six = async <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, work))
    const before = await untilDone(() => six(read))
    await untilDone(() => owner.query(pid))
    platform.server.pause()
    const asks = [read, () => owner.query(pid), () => owner.tx((tx) => tx.query(pid), { timeoutMs: 100 })]
    const refused = await Promise.all(asks.map((ask) => six(() => ask().catch((error: unknown) => error))))
    expect(refused.flat().map((error) => error instanceof DatabaseUnavailable)).toEqual(Array(18).fill(true))
    platform.server.resume()
    expect(before).not.toContainEqual(await untilDone(read))
    await untilDone(() => owner.query(pid))
  })

  it('OP-02 is 503 with Retry-After at the API, and 200 again when it goes on', async () => {
    await using db = openPostgres({ url: platform.url, statementTimeoutMs: 2_000, onError: () => undefined })
    await using system = await startSystem({ on: { db, databaseUrl: platform.url } })
    const { token } = await system.member('owner')
    const list = () => fetch(`${system.url}${listDatabases.path}`, { headers: { authorization: `Bearer ${token}` } })
    expect((await list()).status).toBe(200)
    platform.server.pause()
    const response = await list()
    platform.server.resume()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    await untilDone(async () => expect((await list()).status).toBe(200))
  })
})
