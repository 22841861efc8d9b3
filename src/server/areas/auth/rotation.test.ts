import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateToken, validateToken } from '#contract/auth/auth.ts'
import { createInvitation } from '#contract/auth/members.ts'
import { startSupport } from '#contract/auth/support.ts'
import { createToken } from '#contract/auth/tokens.ts'
import { createClient } from '#contract/core/client.ts'
import { createDatabase, dropDatabase, readConnection } from '#contract/databases.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'
import { sendMcp } from '#test/agents/mcp.ts'
import { findSecrets } from '#test/canary.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { connectTo } from '#test/databases/managed-databases.ts'
import { APP, googleUser, SESSION } from '#test/sign-in.ts'
import { testEnvironment } from '#test/system.ts'

const INVITEE = googleUser({ email: 'invited@x.example' })

/** Every kind of credential that the signing secrets make good. */
type Credentials = {
  bearers: Record<string, string>
  invitation: string
  agent: { client_id: string; access_token: string; refresh_token: string }
  code: { code: string; verifier: string; client_id: string }
}

describe('AU-08 rotating a signing secret', () => {
  const stack = new AsyncDisposableStack()
  let database: TestDatabase
  let env: ReturnType<typeof testEnvironment>
  let owner: Person
  let held: Credentials
  const logs: string[] = []

  /** A start of the same installation: its database, its data folder and its secrets, but for those in `over`. */
  const start = (over: Partial<typeof env> = {}): Promise<Connector> =>
    startConnector({ on: { db: database.db, databaseUrl: database.url }, env: { ...env, ...over } })

  beforeAll(async () => {
    database = stack.use(await openTestDatabase())
    const folder = mkdtempSync(join(tmpdir(), 'svc-rotation-'))
    stack.defer(() => rmSync(folder, { recursive: true, force: true }))
    env = testEnvironment(database.url, folder)
    await using c = await start()
    owner = await c.person('owner')
    held = await credentialsOf(c)
    await using tenant = await connectTo(await connectionString(c, owner.token, 'create'))
    await tenant.query(`create table kept (word text); insert into kept values ('still here')`)
    logs.push(...c.system.logs)
  })
  afterAll(async () => {
    await using c = await start()
    await c.system.client(owner.token).call(dropDatabase, { name: 'kept', confirm: 'kept' })
    await c[Symbol.asyncDispose]()
    await stack.disposeAsync()
  })

  async function credentialsOf(c: Connector): Promise<Credentials> {
    const client = c.system.client(owner.token)
    const { org_id } = owner
    const jwt = await owner.browser.go(`${APP}/api/v1/sessions/token`, { json: {} })
    const support = { org_id, staff_email: 's@x.example', reason: 'r' }
    const invited = { org_id, email: INVITEE.email, role: 'viewer' } as const
    const client_id = await c.client()
    const agent = { client_id, ...(await c.connect(owner, client_id)) }
    const other = (await c.register({ client_name: 'In the middle' })).body.client_id!
    return {
      bearers: {
        'a token the operator minted': owner.token,
        'an API token': (await client.call(createToken, { name: 'ci' })).token,
        'a session': owner.browser.cookie(APP, SESSION)!,
        'a user JWT': ((await jwt.json()) as { token: string }).token,
        'a support session': (await c.system.operator.call(startSupport, support)).token,
      },
      invitation: (await client.call(createInvitation, invited)).token,
      agent,
      code: await c.code(owner, other),
    }
  }

  async function connectionString(c: Connector, token: string, create?: 'create'): Promise<string> {
    const client = c.system.client(token)
    if (create) await client.call(createDatabase, { name: 'kept' })
    return (await client.call(readConnection, { name: 'kept' })).connection_string
  }

  /** Signs in as the invited person, with the email of the invitation. */
  async function accept(c: Connector): Promise<Response> {
    const browser = c.signIn.browser()
    await c.signIn.signIn(browser, 'google', INVITEE)
    return browser.go(`${APP}/api/v1/invitations/accept`, { json: { token: held.invitation } })
  }

  const validate = (c: Connector, token: string) =>
    createClient({ baseUrl: c.system.url, fetch }).call(validateToken, { token })
  const mcpStatus = async (c: Connector) =>
    (await sendMcp(`${c.system.url}/mcp/platform`, held.agent.access_token)).status

  it('does not happen by a restart with the same secrets, which ends nothing', async () => {
    await using c = await start()
    for (const [what, token] of Object.entries(held.bearers)) {
      expect([what, (await validate(c, token)).principal.org_id]).toEqual([what, owner.org_id])
    }
    expect(await mcpStatus(c)).toBe(200)
  })

  it.each(['SVC_JWT_SECRET', 'SVC_JWT_SIGNING_KEY'])(
    'invalidates every token, session and grant, but not the stored password of a managed database: %s',
    async (rotated) => {
      await using c = await start({ [rotated]: 'ef'.repeat(32) })
      for (const [what, token] of Object.entries(held.bearers)) {
        await expect(validate(c, token), what).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
      }
      expect(await mcpStatus(c)).toBe(401)
      expect((await c.refresh(held.agent.client_id, held.agent.refresh_token)).body.error).toBe('invalid_grant')
      expect((await c.redeem(held.code)).body.error).toBe('invalid_grant')
      const minted = { org_id: owner.org_id, email: owner.email, name: 'after the rotation' }
      const { token } = await c.system.operator.call(adminCreateToken, minted)
      expect((await accept(c)).status).toBe(409)
      await using tenant = await connectTo(await connectionString(c, token))
      expect((await tenant.query('select word from kept')).rows).toEqual([{ word: 'still here' }])
    },
  )

  it('deletes nothing: with the former secrets everything is valid again', async () => {
    await using c = await start()
    for (const token of Object.values(held.bearers)) {
      expect((await validate(c, token)).principal.org_id).toBe(owner.org_id)
    }
    expect(await mcpStatus(c)).toBe(200)
    expect((await c.refresh(held.agent.client_id, held.agent.refresh_token)).status).toBe(200)
    expect((await accept(c)).status).toBe(200)
  })

  it('leaves no secret in any table or log line, plain or encoded', async () => {
    const { access_token, refresh_token } = held.agent
    const all = [...Object.values(held.bearers), held.invitation, access_token, refresh_token, held.code.code]
    expect(all).toHaveLength(9)
    expect(await findSecrets(database.db, logs, all)).toEqual([])
  })
})
