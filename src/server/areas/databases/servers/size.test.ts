import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase, databaseSizes, dropDatabase, readConnection } from '#contract/databases.ts'
import { sql } from '#lib/db/sql.ts'
import { connectTo } from '#test/databases/managed-databases.ts'
import { type System, startSystem } from '#test/system.ts'

const ROW_BYTES = 2_000
const ROWS = 1_000

describe('DS-01 the size of managed databases', () => {
  let system: System
  let owner: Awaited<ReturnType<System['member']>>
  beforeAll(async () => {
    system = await startSystem()
    owner = await system.member('owner')
    await system.client(owner.token).call(createDatabase, { name: 'docs' })
  })
  afterAll(async () => {
    await system?.client(owner.token).call(dropDatabase, { name: 'docs', confirm: 'docs' })
    await system?.[Symbol.asyncDispose]()
  })

  const sizes = async (names: string, { token } = owner) =>
    (await system.client(token).call(databaseSizes, { names })).items

  it('grows with what is stored', async () => {
    const [before] = await sizes('docs')
    const { connection_string } = await system.client(owner.token).call(readConnection, { name: 'docs' })
    {
      await using client = await connectTo(connection_string)
      await client.query('create table pages (body text)')
      await client.query('alter table pages alter body set storage external')
      await client.query('insert into pages select repeat($1, $2) from generate_series(1, $3)', ['x', ROW_BYTES, ROWS])
      await client.query('checkpoint').catch(() => {})
    }
    const [after] = await sizes('docs')
    expect(after!.bytes! - before!.bytes!).toBeGreaterThan(ROW_BYTES * ROWS)
  })

  it('leaves out names that the organization does not have, and does not know that of one that is not ready', async () => {
    const other = await system.member('developer')
    expect(await sizes('docs,nothing', other)).toEqual([])
    await system.db.query(sql`update databases.databases set state = 'failed' where name = 'docs'`)
    expect(await sizes('docs,nothing')).toEqual([{ name: 'docs', bytes: null }])
    await system.db.query(sql`update databases.databases set state = 'ready' where name = 'docs'`)
  })

  it.each(['', 'Docs', 'docs,', Array(101).fill('docs').join()])('refuses %j as names', async (names) => {
    await expect(sizes(names)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })
})
