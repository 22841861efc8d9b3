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
