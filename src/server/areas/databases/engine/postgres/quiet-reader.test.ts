import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgres } from '#lib/db/postgres.ts'
import { script, sql } from '#lib/db/sql.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { quietReader } from './quiet-reader.ts'

needs('postgres')('DS-19 what Postgres logs of the reader', () => {
  const hex = randomBytes(6).toString('hex')
  const [platform, readers] = [`svc_plain_${hex}`, [`r_a${hex}`, `r_b${hex}`] as const]
  let test: TestDatabase

  beforeAll(async () => {
    test = await openTestDatabase()
    await test.db.query(script(`create role ${platform} login createrole password 'x'`))
    for (const reader of readers) await test.db.query(script(`create role ${reader}`))
  })
  afterAll(async () => {
    await test.db.query(script(`drop owned by ${platform}; drop role ${[platform, ...readers].join(', ')}`))
    await test[Symbol.asyncDispose]()
  })

  const warnings: string[] = []
  const quiet = (reader_role: string, db = test.db) => {
    const managed = { physical_name: '', owner_role: '', owner_verifier: '', reader_verifier: '', reader_role }
    return quietReader(db, managed, (text) => warnings.push(text))
  }
  const settingsOf = async (role: string) => {
    const [row] = await test.db.query<{ rolconfig: string[] | null }>(sql`
      select rolconfig from pg_roles where rolname = ${role}`)
    return row!.rolconfig
  }
  const ALL = ['log_parameter_max_length_on_error=0', 'log_parameter_max_length=0', 'log_min_messages=fatal']

  it('is only what ends its connections, also of one made before, however often it is asked', async () => {
    expect(await settingsOf(readers[0])).toBeNull()
    await quiet(readers[0])
    await quiet(readers[0])
    expect(await settingsOf(readers[0])).toEqual(ALL)
    expect(warnings).toEqual([])
  })

  it('is more where the platform may not say so, and then the operator is told how to let it', async () => {
    const url = new URL(test.url!)
    Object.assign(url, { username: platform, password: 'x' })
    await using db = openPostgres({ url: url.href, onError: console.error })
    await quiet(readers[1], db)
    expect(await settingsOf(readers[1])).toEqual(ALL.slice(0, 1))
    expect(warnings).toEqual([expect.stringContaining('grant set on parameter log_min_messages')])
    await test.db.query(script(`grant set on parameter log_min_messages, log_parameter_max_length to ${platform}`))
    await quiet(readers[1], db)
    expect(await settingsOf(readers[1])).toEqual(ALL)
    expect(warnings).toHaveLength(1)
  })
})
