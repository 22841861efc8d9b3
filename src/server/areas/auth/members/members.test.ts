import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrg } from '#contract/auth/auth.ts'
import { changeRole, listAudit, listMembers, listOrgs, me, removeMember } from '#contract/auth/members.ts'
import { createToken, listTokens, revokeToken } from '#contract/auth/tokens.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'

describe('members, roles and their tokens', () => {
  let system: System
  const clock = testClock(new Date())
  beforeAll(async () => {
    system = await startSystem({ clock })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('AU-07 the last owner cannot leave or step down; with another owner they can', async () => {
    const { token, org_id, user_id } = await system.member('owner')
    const client = system.client(token)
    const stepDown = () => client.call(changeRole, { org_id, user_id, role: 'admin' })
    const leave = () => client.call(removeMember, { org_id, user_id })
    await expect(stepDown()).rejects.toMatchObject({ code: 'LAST_OWNER', status: 409 })
    await expect(leave()).rejects.toMatchObject({ code: 'LAST_OWNER' })
    await system.member('owner', org_id)
    expect(await stepDown()).toMatchObject({ user_id, role: 'admin' })
    expect(await leave()).toEqual({ user_id, removed: true })
  })

  it('a removed member and all their tokens are refused at the next call, with the usual answer', async () => {
    const owner = await system.member('owner')
    const gone = await system.member('developer', owner.org_id)
    expect((await system.client(gone.token).call(me, {})).role).toBe('developer')
    await system.client(owner.token).call(removeMember, { org_id: owner.org_id, user_id: gone.user_id })
    await expect(system.client(gone.token).call(me, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    const again = system.client(owner.token).call(removeMember, { org_id: owner.org_id, user_id: gone.user_id })
    await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('a changed role applies at the next call in the same process', async () => {
    const owner = await system.member('owner')
    const member = await system.member('admin', owner.org_id)
    const list = () => system.client(member.token).call(listMembers, { org_id: owner.org_id })
    expect((await list()).items).toHaveLength(2)
    await system.client(owner.token).call(changeRole, { org_id: owner.org_id, user_id: member.user_id, role: 'viewer' })
    await expect(list()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('members come in pages, newest first', async () => {
    const owner = await system.member('owner')
    const members = [owner, await system.member('viewer', owner.org_id), await system.member('viewer', owner.org_id)]
    const client = system.client(owner.token)
    const first = await client.call(listMembers, { org_id: owner.org_id, limit: 2 })
    const last = await client.call(listMembers, { org_id: owner.org_id, limit: 2, cursor: first.next_cursor! })
    expect([...first.items, ...last.items].map(({ user_id }) => user_id)).toEqual(
      members.map(({ user_id }) => user_id).toReversed(),
    )
    expect(last.next_cursor).toBeNull()
    const forged = client.call(listMembers, { org_id: owner.org_id, cursor: 'AAAA' })
    await expect(forged).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('AU-02 CO-05 a token is created, listed without its secret, and refused at once after revoking', async () => {
    const { token } = await system.member('developer')
    const client = system.client(token)
    const createdToken = await client.call(createToken, { name: 'ci' })
    const { items } = await client.call(listTokens, {})
    expect(items.map(({ name }) => name)).toEqual(['ci', 'test'])
    expect(JSON.stringify(items)).not.toContain(createdToken.token)
    expect((await system.client(createdToken.token).call(me, {})).role).toBe('developer')
    await client.call(revokeToken, { id: createdToken.id })
    await expect(system.client(createdToken.token).call(me, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await expect(client.call(revokeToken, { id: createdToken.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('CO-05 the list says when a token was last used, to five minutes, and from where', async () => {
    const client = system.client((await system.member('developer')).token)
    const created = await client.call(createToken, { name: 'nightly' })
    const uses = async () => {
      const { items } = await client.call(listTokens, {})
      const { last_used_at, last_used_from } = items.find(({ id }) => id === created.id)!
      return { last_used_at, last_used_from }
    }
    expect(await uses()).toEqual({ last_used_at: null, last_used_from: null })
    const use = () => system.client(created.token).call(me, {})
    const first = { last_used_at: clock.now().toISOString(), last_used_from: '127.0.0.1' }
    await use()
    expect(await uses()).toEqual(first)
    clock.advance(5 * 60_000)
    await use()
    expect(await uses()).toEqual(first)
    clock.advance(60_000)
    await use()
    expect(await uses()).toEqual({ ...first, last_used_at: clock.now().toISOString() })
  })

  it('AU-02 a token cannot create a token that expires later than itself', async () => {
    const { token } = await system.member('developer')
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const late = new Date(Date.now() + 7_200_000).toISOString()
    const short = await system.client(token).call(createToken, { name: 'short', expires_at: soon })
    const client = system.client(short.token)
    expect((await client.call(createToken, { name: 'child' })).expires_at).toBe(soon)
    await expect(client.call(createToken, { name: 'x', expires_at: late })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
    const past = system.client(token).call(createToken, { name: 'x', expires_at: '2020-01-01T00:00:00Z' })
    await expect(past).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('a caller reads who they are and which organizations they are in', async () => {
    const { token, user_id, email, org_id } = await system.member('viewer')
    const client = system.client(token)
    expect(await client.call(me, {})).toMatchObject({
      kind: 'api_token',
      user: { id: user_id, email },
      org: { id: org_id },
      role: 'viewer',
      read_only: false,
    })
    await client.call(createOrg, { name: 'Elsewhere' })
    const { items } = await client.call(listOrgs, {})
    // A token is of one organization and lists no other of its person.
    expect(items.map(({ role }) => role)).toEqual(['viewer'])
  })

  it('owners can read the audit trail of their organization', async () => {
    const owner = await system.member('owner')
    const member = await system.member('viewer', owner.org_id)
    const client = system.client(owner.token)
    await client.call(changeRole, { org_id: owner.org_id, user_id: member.user_id, role: 'admin' })
    const { items } = await client.call(listAudit, { org_id: owner.org_id, limit: 1 })
    expect(items[0]).toMatchObject({ action: 'member.role_changed', target: member.user_id, detail: { role: 'admin' } })
    expect(items[0]!.actor).toMatch(/^tok_/)
  })

  it('AU-07 the audit log is filtered by subject, person and time, and no filter shows more than the role reads', async () => {
    const owner = await system.member('owner')
    const { org_id } = owner
    const second = await system.member('owner', org_id)
    const member = await system.member('admin', org_id)
    const change = (by: { token: string }, role: 'viewer' | 'admin') =>
      system.client(by.token).call(changeRole, { org_id, user_id: member.user_id, role })
    await change(owner, 'viewer')
    clock.advance(60_000)
    const from = clock.now().toISOString()
    await change(second, 'admin')
    const read = async (input: object, by = owner) =>
      (await system.client(by.token).call(listAudit, { org_id, ...input })).items
        .filter(({ action }) => action === 'member.role_changed')
        .map(({ detail }) => detail.role)
    expect(await read({ subject: 'member' })).toEqual(['admin', 'viewer'])
    expect(await read({ subject: 'membe' })).toEqual([])
    expect(await read({ user_id: second.user_id })).toEqual(['admin'])
    expect(await read({ from })).toEqual(['admin'])
    expect(await read({ to: from })).toEqual(['viewer'])
    expect(await read({ subject: 'member', user_id: owner.user_id }, member)).toEqual([])
    await expect(read({ subject: 'member.%' })).rejects.toMatchObject({ status: 400, errors: [{ path: 'subject' }] })
  })

  it('too many tokens in an hour are 429', async () => {
    const client = system.client((await system.member('viewer')).token)
    for (let n = 0; n < 30; n++) await client.call(createToken, { name: `n${n}` })
    await expect(client.call(createToken, { name: 'more' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: expect.any(Number),
    })
  })

  needs('postgres')('at once', () => {
    it('AU-07 one of two owners who step down at once remains owner', async () => {
      for (let round = 0; round < 5; round++) {
        const a = await system.member('owner')
        const b = await system.member('owner', a.org_id)
        const results = await Promise.allSettled(
          [a, b].map((who) => system.client(who.token).call(removeMember, { org_id: a.org_id, user_id: who.user_id })),
        )
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        const owners = await system.db.query(sql`
          select user_id from auth.memberships where org_id = ${a.org_id} and role = 'owner'`)
        expect(owners).toHaveLength(1)
      }
    })
  })
})
