import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg } from '#contract/auth/auth.ts'
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  listOrgs,
  revokeInvitation,
  setDomains,
} from '#contract/auth/members.ts'
import { adminSetDomains } from '#contract/auth/support.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { authKeys } from '../model/deps.ts'
import { startSession } from '../sessions/sessions.ts'
import { signUserJwt } from '../sessions/user-jwt.ts'

const DAY_MS = 24 * 3_600_000

describe('invitations and domains', () => {
  const clock = testClock(new Date())
  let system: System
  beforeAll(async () => {
    system = await startSystem({ clock })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  /** A client with a session of the person, as the console has one. */
  async function inSession({ user_id, org_id }: { user_id: string; org_id: string }) {
    const { jwtSecret, jwtSigningKey } = system.config.secrets
    const keys = authKeys(jwtSecret!, jwtSigningKey!)
    const session = await system.db.tx((tx) => startSession(tx, { keys }, { user_id, org_id, now: clock.now() }))
    return system.client((await signUserJwt({ keys, clock }, session.id, user_id)).token)
  }

  /** Someone in another organization whose email an identity provider vouched for. */
  async function signedIn() {
    const person = await system.member('viewer')
    await system.db.query(sql`update auth.users set first_signed_in_at = now() where id = ${person.user_id}`)
    return { ...person, client: await inSession(person) }
  }

  async function invite(email: string, role: 'developer' | 'viewer' = 'developer') {
    const owner = await system.member('owner')
    const client = system.client(owner.token)
    const invitation = await client.call(createInvitation, { org_id: owner.org_id, email, role })
    return { owner, client, invitation }
  }

  it('AU-06 an invitation admits the person it names once, with its role', async () => {
    const person = await signedIn()
    const { owner, client, invitation } = await invite(person.email.toUpperCase())
    expect((await client.call(listInvitations, { org_id: owner.org_id })).items).toMatchObject([
      { email: person.email },
    ])
    expect(await person.client.call(acceptInvitation, { token: invitation.token })).toEqual({
      org_id: owner.org_id,
      role: 'developer',
    })
    expect((await person.client.call(listOrgs, {})).items.map(({ id }) => id)).toContain(owner.org_id)
    await expect(person.client.call(acceptInvitation, { token: invitation.token })).rejects.toMatchObject({
      code: 'INVITATION_INVALID',
    })
    expect((await client.call(listInvitations, { org_id: owner.org_id })).items).toEqual([])
  })

  it('AU-02 an API token accepts no invitation to another organization, and lists no other', async () => {
    const person = await signedIn()
    const { owner, invitation } = await invite(person.email)
    const byToken = system.client(person.token)
    await expect(byToken.call(acceptInvitation, { token: invitation.token })).rejects.toMatchObject({ status: 403 })
    await person.client.call(acceptInvitation, { token: invitation.token })
    const listed = async (client: typeof byToken) => (await client.call(listOrgs, {})).items.map(({ id }) => id)
    expect(await listed(byToken)).toEqual([person.org_id])
    expect(await listed(person.client)).toEqual([owner.org_id, person.org_id])
  })

  it('AU-06 the refusal is the same for another email, an unverified one, and expired, revoked and invented invitations', async () => {
    const person = await signedIn()
    const unverified = await system.member('viewer')
    const other = await invite('someone-else@example.com')
    const forUnverified = await invite(unverified.email)
    const taken = await invite(person.email)
    await taken.client.call(revokeInvitation, { org_id: taken.owner.org_id, id: taken.invitation.id })
    const old = await invite(person.email)
    clock.advance(7 * DAY_MS)
    const [client, ofUnverified] = [await inSession(person), await inSession(unverified)]
    const tries = [
      client.call(acceptInvitation, { token: other.invitation.token }),
      ofUnverified.call(acceptInvitation, { token: forUnverified.invitation.token }),
      client.call(acceptInvitation, { token: taken.invitation.token }),
      client.call(acceptInvitation, { token: old.invitation.token }),
      client.call(acceptInvitation, { token: 'svci_made_up' }),
    ]
    const refusals = await Promise.allSettled(tries)
    const messages = refusals.map((one) => (one.status === 'rejected' ? (one.reason as Error).message : 'let in'))
    expect(new Set(messages)).toEqual(
      new Set([
        'This invitation was used, has expired, was revoked, or is for another email address. Ask for a new one.',
      ]),
    )
  })

  it('AU-06 refused invitations are limited per caller, and a valid one is accepted beyond the limit', async () => {
    const person = await signedIn()
    const codes: string[] = []
    for (let n = 0; n < 21; n++) {
      const outcome = person.client.call(acceptInvitation, { token: 'svci_made_up' })
      codes.push(await outcome.then(() => 'let in').catch((error: { code: string }) => error.code))
    }
    expect(codes.slice(-2)).toEqual(['INVITATION_INVALID', 'RATE_LIMITED'])
    const colleague = await signedIn()
    await expect(colleague.client.call(acceptInvitation, { token: 'svci_made_up' })).rejects.toMatchObject({
      code: 'INVITATION_INVALID',
    })
    const { owner, invitation } = await invite(person.email)
    expect(await person.client.call(acceptInvitation, { token: invitation.token })).toEqual({
      org_id: owner.org_id,
      role: 'developer',
    })
  })

  it('AU-06 an owner can add only the domain of their own verified email, and no public mail host', async () => {
    const owner = await system.member('owner')
    await system.db.query(sql`
      update auth.users set email = ${`boss-${owner.user_id.slice(-6)}@acme-${owner.user_id.slice(-6)}.example`},
        first_signed_in_at = now() where id = ${owner.user_id}`)
    const own = `acme-${owner.user_id.slice(-6)}.example`
    const client = system.client(owner.token)
    const set = (domains: string[]) => client.call(setDomains, { org_id: owner.org_id, domains })
    expect(await set([own])).toEqual({ domains: [own] })
    await expect(set([own, 'foreign.example'])).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await set([])).toEqual({ domains: [] })
    const refused = system.operator.call(adminSetDomains, { org_id: owner.org_id, domains: ['gmail.com'] })
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    const atBirth = system.operator.call(adminCreateOrg, { name: 'Open', domains: ['outlook.com'] })
    await expect(atBirth).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('AU-06 an owner cannot add a domain of which another person has a verified address; the operator can', async () => {
    const [owner, other] = [await system.member('owner'), await system.member('viewer')]
    const domain = `corp-${owner.user_id.slice(-6)}.example`
    for (const [n, { user_id }] of [owner, other].entries()) {
      await system.db.query(sql`
        update auth.users set email = ${`p${n}@${domain}`}, first_signed_in_at = now() where id = ${user_id}`)
    }
    const domains = { org_id: owner.org_id, domains: [domain] }
    await expect(system.client(owner.token).call(setDomains, domains)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: `Other people have an address of ${domain} too, so your address does not prove that the domain is yours. Ask the operator to add it.`,
    })
    expect(await system.operator.call(adminSetDomains, domains)).toEqual({ domains: [domain] })
  })

  it('AU-06 an owner who never signed in can add no domain', async () => {
    const owner = await system.member('owner')
    const refused = system.client(owner.token).call(setDomains, { org_id: owner.org_id, domains: ['example.com'] })
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('the operator sets domains, and a domain belongs to one organization', async () => {
    const [a, b] = [await system.member('owner'), await system.member('owner')]
    const set = (org_id: string) => system.operator.call(adminSetDomains, { org_id, domains: ['shared.example'] })
    expect(await set(a.org_id)).toEqual({ domains: ['shared.example'] })
    await expect(set(b.org_id)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(set('org_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  needs('postgres')('at once', () => {
    it('AU-06 exactly one of eight concurrent redemptions of an invitation succeeds', async () => {
      const person = await signedIn()
      const { invitation } = await invite(person.email)
      const tries = Array.from({ length: 8 }, () => person.client.call(acceptInvitation, { token: invitation.token }))
      const results = await Promise.allSettled(tries)
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })
  })
})
