import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken, createOrg, validateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { sql } from '#lib/db/sql.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'

describe('tokens and organizations', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const anonymous = () => createClient({ baseUrl: system.url, fetch })
  const validate = (token: string) => anonymous().call(validateToken, { token })

  it('AU-01 a valid token resolves to its principal', async () => {
    const developer = await system.member('developer')
    const { principal } = await validate(developer.token)
    expect(principal).toEqual({
      kind: 'api_token',
      id: expect.stringMatching(/^tok_/),
      user_id: developer.user_id,
      org_id: developer.org_id,
      role: 'developer',
      scopes: [],
      expires_at: null,
    })
  })

  it('AU-01 unknown, malformed, revoked and expired tokens get the identical 401', async () => {
    const revoked = await system.member()
    const expired = await system.member()
    await system.db.query(sql`update auth.api_tokens set revoked_at = now() where user_id = ${revoked.user_id}`)
    await system.db.query(
      sql`update auth.api_tokens set expires_at = now() - interval '1 second' where user_id = ${expired.user_id}`,
    )
    const unknown = 'svc_0000000000000000000000000000000000000000000000000'
    for (const token of [revoked.token, expired.token, unknown, 'x', 'eyJhbGciOiJub25lIn0.e30.']) {
      const response = await fetch(`${system.url}/api/v1/tokens/validate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      })
      const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
      expect([response.status, body]).toEqual([
        401,
        {
          type: 'urn:svc:problem:invalid-token',
          title: 'Not authenticated',
          status: 401,
          detail: 'Invalid or expired API token',
          code: 'INVALID_TOKEN',
        },
      ])
    }
  })

  it('AU-02 a token is stored only as a keyed hash', async () => {
    const { token } = await system.member()
    expect(token).toMatch(/^svc_[0-9A-Za-z]{49}$/)
    const [row] = await system.db.query<{ found: boolean }>(sql`
      select exists(select from auth.api_tokens t where t::text like ${`%${token}%`}
        or encode(t.hash, 'hex') = encode(sha256(${token}::bytea), 'hex')) as found`)
    expect(row).toEqual({ found: false })
  })

  it('a token acts with the current role of its creator and is refused once the membership ends', async () => {
    const { token, user_id } = await system.member('admin')
    await system.db.query(sql`update auth.memberships set role = 'viewer' where user_id = ${user_id}`)
    expect((await validate(token)).principal.role).toBe('viewer')
    await system.db.query(sql`delete from auth.memberships where user_id = ${user_id}`)
    await expect(validate(token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  })

  it('AU-03 the creator of an organization owns it, and its slug is derived from the name and unique', async () => {
    const { token, user_id } = await system.member('viewer')
    const client = system.client(token)
    const [a, b] = [
      await client.call(createOrg, { name: 'Grüße & Co.' }),
      await client.call(createOrg, { name: 'Grüße & Co.' }),
    ]
    expect([a.slug, b.slug]).toEqual(['grusse-co', 'grusse-co-2'])
    const [row] = await system.db.query(
      sql`select role from auth.memberships where org_id = ${a.id} and user_id = ${user_id}`,
    )
    expect(row).toEqual({ role: 'owner' })
  })

  it('AU-03 a person owns at most ten organizations', async () => {
    const client = system.client((await system.member('viewer')).token)
    for (let n = 0; n < 10; n++) await client.call(createOrg, { name: `Ten ${n}` })
    await expect(client.call(createOrg, { name: 'Eleven' })).rejects.toMatchObject({ code: 'ORG_LIMIT', status: 409 })
  })

  it('AU-04 the operator creates an organization, and an existing user is added rather than created again', async () => {
    const email = 'Boss@Example.com'
    const first = await system.operator.call(adminCreateOrg, { name: 'First', admin_email: email, admin_name: 'Boss' })
    const second = await system.operator.call(adminCreateOrg, {
      name: 'Second',
      admin_email: 'boss@example.com',
      admin_name: 'Other',
    })
    expect(first.owner).toEqual({ user_id: second.owner!.user_id, email: 'boss@example.com' })
    const users = await system.db.query(sql`select name from auth.users where email = 'boss@example.com'`)
    expect(users).toEqual([{ name: 'Boss' }])
  })

  it('AU-04 a domain belongs to one organization, and a conflict changes nothing', async () => {
    await system.operator.call(adminCreateOrg, { name: 'Holder', domains: ['Taken.example.org'] })
    const refused = system.operator.call(adminCreateOrg, {
      name: 'Latecomer',
      domains: ['free.example.org', 'taken.example.org'],
    })
    await expect(refused).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Already a domain of another organization: taken.example.org.',
    })
    expect(await system.db.query(sql`select from auth.orgs where name = 'Latecomer'`)).toEqual([])
    const free = await system.operator.call(adminCreateOrg, { name: 'Next', domains: ['free.example.org'] })
    expect(free.domains).toEqual(['free.example.org'])
  })

  it('AU-04 operator endpoints need the operator token and are 404 where none is configured', async () => {
    const { token } = await system.member('owner')
    for (const bearer of [token, 'wrong']) {
      await expect(system.client(bearer).call(adminCreateOrg, { name: 'x' })).rejects.toMatchObject({ status: 401 })
    }
    await expect(anonymous().call(adminCreateOrg, { name: 'x' })).rejects.toMatchObject({ status: 401 })
    await using closed = await startSystem({ on: system, env: { SVC_OPERATOR_TOKEN: '' } })
    const response = await fetch(`${closed.url}/api/v1/admin/orgs`, { method: 'POST' })
    expect(response.status).toBe(404)
  })

  it('the operator creates a token, a member keeps their role, and an unknown organization is 404', async () => {
    const { org_id, email } = await system.member('developer')
    const createdToken = await system.operator.call(adminCreateToken, { org_id, email, role: 'owner', name: 'ci' })
    expect(createdToken.role).toBe('developer')
    const refused = system.operator.call(adminCreateToken, { org_id: 'org_none', email, name: 'ci' })
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('the audit trail records what the operator did', async () => {
    const { org_id } = await system.member('viewer')
    const rows = await system.db.query(sql`select actor, action from svc.audit where org_id = ${org_id} order by id`)
    expect(rows).toEqual([
      { actor: 'operator', action: 'org.created' },
      { actor: 'operator', action: 'token.created' },
    ])
  })

  needs('postgres')('at once', () => {
    it('AU-03 twenty organizations of one name, created at once, get twenty slugs', async () => {
      const createdOrgs = await Promise.all(
        Array.from({ length: 20 }, () => system.operator.call(adminCreateOrg, { name: 'Same name' })),
      )
      expect(new Set(createdOrgs.map(({ slug }) => slug)).size).toBe(20)
    })

    it('AU-03 a person who creates twelve organizations at once gets ten', async () => {
      const client = system.client((await system.member('viewer')).token)
      const all = await Promise.allSettled(
        Array.from({ length: 12 }, (_, n) => client.call(createOrg, { name: `Race ${n}` })),
      )
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    })
  })
})
