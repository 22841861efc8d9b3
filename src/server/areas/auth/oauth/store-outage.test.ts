import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { script } from '#lib/db/sql.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'

/** The tables keep their rows and cannot be asked meanwhile, as in the middle of somebody's mistake. */
async function withoutTable<T>(c: Connector, table: string, work: () => Promise<T>): Promise<T> {
  const [schema, name] = table.split('.') as [string, string]
  await c.system.db.query(script(`alter table ${table} rename to away`))
  try {
    return await work()
  } finally {
    await c.system.db.query(script(`alter table ${schema}.away rename to ${name}`))
  }
}

describe('while no refresh token can be stored', () => {
  const REFUSE = `
    create function auth.refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end';
    create trigger refuse before insert on auth.oauth_artifacts
      for each row when (new.kind = 'RefreshToken') execute function auth.refuse();`

  it('AU-10 a code is not consumed and can be redeemed afterwards, once', async () => {
    await using c = await startConnector()
    const person = await c.person()
    const code = await c.code(person, await c.client())
    await c.system.db.query(script(REFUSE))
    expect((await c.redeem(code)).body.error).toBe('temporarily_unavailable')
    await c.system.db.query(script('drop function auth.refuse() cascade'))
    const { status, body } = await c.redeem(code)
    expect(status).toBe(200)
    c.system.secrets.push(body.access_token!, body.refresh_token!)
    expect((await c.redeem(code)).body.error).toBe('invalid_grant')
    expect((await c.refresh(code.client_id, body.refresh_token!)).body.error).toBe('invalid_grant')
  })
})

describe.each(['auth.oauth_artifacts', 'public.platform_access_grants'])('while %s is unavailable', (table) => {
  let c: Connector
  let person: Person
  let clientId: string
  beforeAll(async () => {
    c = await startConnector()
    person = await c.person()
    clientId = await c.client()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  it('AU-10 a code is not consumed and can be redeemed afterwards', async () => {
    const code = await c.code(person, clientId)
    const refused = await withoutTable(c, table, () => c.redeem(code))
    expect({ status: refused.status, error: refused.body.error }).toEqual({
      status: 500,
      error: 'temporarily_unavailable',
    })
    expect(JSON.stringify(refused.body)).not.toMatch(/relation|oauth_artifacts|access_grants/)
    expect((await c.redeem(code)).status).toBe(200)
  })

  it('AU-13 a refresh token is not consumed and its grant not revoked, and it works afterwards', async () => {
    const { refresh_token } = await c.connect(person, clientId)
    const refused = await withoutTable(c, table, () => c.refresh(clientId, refresh_token))
    expect({ status: refused.status, error: refused.body.error }).toEqual({
      status: 500,
      error: 'temporarily_unavailable',
    })
    expect((await c.refresh(clientId, refresh_token)).status).toBe(200)
  })
})
