import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'

describe('Idempotency-Key', () => {
  let system: System
  let token: string

  beforeAll(async () => {
    system = await startSystem()
    token = (await system.member('owner')).token
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function create(key: string, name: string, bearer = token) {
    const response = await fetch(`${system.url}/api/v1/orgs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ name }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  it('a repetition gets the first answer and has no second effect', async () => {
    const first = await create('a', 'Once')
    const again = await create('a', 'Once')
    expect(first.status).toBe(201)
    expect(again).toEqual(first)
    const orgs = await system.db.query(sql`select id from auth.orgs where name = 'Once'`)
    expect(orgs).toHaveLength(1)
  })

  it('the same key with another body is 409', async () => {
    await create('b', 'One thing')
    expect(await create('b', 'Another thing')).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
  })

  it('a key belongs to one caller', async () => {
    const other = (await system.member('owner')).token
    const [mine, theirs] = [await create('c', 'Shared'), await create('c', 'Shared', other)]
    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  it('after a refusal the key is free', async () => {
    expect((await create('d', '')).status).toBe(400)
    expect((await create('d', 'Right this time')).status).toBe(201)
  })

  it('an empty or too long key is 400', async () => {
    expect((await create('x'.repeat(256), 'No')).body.detail).toBe('Idempotency-Key: must have 1 to 255 characters')
  })

  it('an abandoned first request is distinguished from a running one', async () => {
    await system.db.query(sql`
      insert into svc.idempotency (caller, operation, key, request_digest, created_at)
      select caller, operation, 'dead', request_digest, now() - interval '3 minutes' from svc.idempotency where key = 'a'`)
    await system.db.query(sql`
      insert into svc.idempotency (caller, operation, key, request_digest, created_at)
      select caller, operation, 'runs', request_digest, now() from svc.idempotency where key = 'a'`)
    expect(await create('dead', 'Once')).toMatchObject({ status: 409, body: { code: 'OUTCOME_UNKNOWN' } })
    expect(await create('runs', 'Once')).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } })
  })

  it('a token in a stored answer is sealed', async () => {
    const { org_id } = await system.member('owner')
    const mint = () =>
      fetch(`${system.url}/api/v1/admin/tokens`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${system.config.secrets.operatorToken}`,
          'content-type': 'application/json',
          'idempotency-key': 'mint',
        },
        body: JSON.stringify({ org_id, email: 'a@example.com', name: 'ci' }),
      }).then((response) => response.json() as Promise<{ token: string }>)
    const { token: minted } = await mint()
    expect((await mint()).token).toBe(minted)
    const rows = await system.db.query<{ body: string }>(sql`select body from svc.idempotency where key = 'mint'`)
    expect(rows[0]!.body).toMatch(/^v1\./)
    expect(rows[0]!.body).not.toContain(minted)
  })

  needs('postgres')('at once', () => {
    it('twenty concurrent requests with one key create one organization', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => create('race', 'Raced')))
      const createdAnswers = answers.filter(({ status }) => status === 201)
      expect(new Set(createdAnswers.map(({ body }) => body.id)).size).toBe(1)
      for (const { status, body } of answers) if (status !== 201) expect(body.code).toBe('IDEMPOTENCY_IN_PROGRESS')
      expect(await system.db.query(sql`select id from auth.orgs where name = 'Raced'`)).toHaveLength(1)
    })
  })
})
