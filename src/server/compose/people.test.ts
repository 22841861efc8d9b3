import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { changeRole, removeMember } from '#contract/auth/members.ts'
import { revokeToken } from '#contract/auth/tokens.ts'
import type { Role } from '#contract/core/roles.ts'
import { createHops } from '#edge/credentials/hop.ts'
import { newId } from '#edge/ids.ts'
import { OpenStreams } from '#edge/stream/open-streams.ts'
import { createLog } from '#lib/log/log.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { systemClock, testClock } from '#lib/time/clock.ts'
import type { People } from '#ports/people.ts'
import { type System, startSystem, testEnvironment } from '#test/system.ts'
import { readSettings, toConfig } from '../config/config.ts'
import { remoteNeighbour } from '../process/neighbours.ts'
import { composePeople } from './people.ts'

const UNKNOWN = { isKnown: false, reason: 'people_unknown', isTemporary: false }
const stack = new AsyncDisposableStack()
const clock = testClock(new Date())
const logs: string[] = []
const log = createLog('info', { write: (line: string) => void logs.push(line) })
/** The system that keeps the people: of the installation itself, or of the vendor who hosts its auth service. */
let system: System
beforeAll(async () => {
  system = stack.use(await startSystem())
})
afterAll(() => stack.disposeAsync())

/** An installation on the database of the auth service. */
const onOwnStore = (): People =>
  composePeople({
    config: system.config,
    db: system.db,
    clock,
    log,
    neighbour: () => () => expect.fail('the auth service is called'),
  })

/** An installation elsewhere that has these tokens, and reaches the auth service over the network. */
function onHosted(tokens: readonly string[], url = system.url): People {
  const hosted = { AUTH_SERVICE_URL: url, AUTH_LOGIN_URL: url, SVC_REDIRECT_BASE_URL: 'https://app.customer.test' }
  const env = { ...testEnvironment(undefined, tmpdir()), ...hosted, SVC_AUTH_API_TOKEN: tokens.join(',') }
  const config = toConfig(readSettings(env))
  const send = stack.use(createOperatorFetch())
  const hops = createHops(config.secrets.internalSecret, systemClock)
  const neighbour = () => remoteNeighbour(url, { send, hops, openStreams: new OpenStreams() })
  return composePeople({ config, db: system.db, clock, log, neighbour })
}

/** An organization of three: an owner with a name, an admin and a developer without. */
async function newOrganization() {
  const name = `Acme ${newId('req').slice(-6)}`
  const org = await system.operator.call(adminCreateOrg, {
    name,
    admin_email: `ada-${newId('req')}@a.test`,
    admin_name: 'Ada',
  })
  const owner = await member(org.id, 'owner', org.owner!.email)
  return {
    id: org.id,
    name,
    slug: org.slug,
    owner,
    admin: await member(org.id, 'admin', `bo-${newId('req')}@a.test`),
    developer: await member(org.id, 'developer', `cy-${newId('req')}@a.test`),
  }
}
const member = async (org_id: string, role: Role, email: string) => {
  const createdToken = await system.operator.call(adminCreateToken, { org_id, role, email, name: 'test' })
  system.secrets.push(createdToken.token)
  return createdToken
}
const answerOf = (value: unknown) => ({ isKnown: true, value })
const localPart = (email: string) => email.split('@')[0]!

describe.each([
  ['from auth’s own store', () => onOwnStore()],
  ['from a hosted auth service', (tokens: string[]) => onHosted(tokens)],
])('AU-09 NO-05 people, %s', (_, peopleOf) => {
  it('are the owners and admins with their addresses', async () => {
    const { id, owner, admin } = await newOrganization()
    const expected = [
      { user_id: owner.user_id, email: owner.email, display_name: 'Ada', role: 'owner' },
      { user_id: admin.user_id, email: admin.email, display_name: localPart(admin.email), role: 'admin' },
    ]
    expect(await peopleOf([owner.token]).ownersAndAdmins(id)).toEqual(answerOf(expected))
  })

  it('are members with a role, or not members', async () => {
    const { id, owner, developer } = await newOrganization()
    const stranger = await newOrganization()
    const people = peopleOf([owner.token, stranger.owner.token])
    const { user_id, email } = developer
    expect(await people.member(id, user_id)).toEqual(
      answerOf({ user_id, email, display_name: localPart(email), role: 'developer' }),
    )
    expect(await people.member(id, newId('usr'))).toEqual(answerOf(undefined))
    expect(await people.member(id, stranger.owner.user_id)).toEqual(answerOf(undefined))
  })

  it('are found by their address in any spelling, and only in their organization', async () => {
    const { id, owner, developer } = await newOrganization()
    const stranger = await newOrganization()
    const people = peopleOf([owner.token, stranger.owner.token])
    const { user_id, email } = developer
    expect(await people.memberByEmail(id, email.toUpperCase())).toMatchObject({
      isKnown: true,
      value: { user_id, email },
    })
    expect(await people.memberByEmail(id, stranger.owner.email)).toEqual(answerOf(undefined))
    expect(await people.memberByEmail(id, email.slice(1))).toEqual(answerOf(undefined))
  })

  it('have display names, and those who are not members have none', async () => {
    const { id, owner, admin } = await newOrganization()
    const stranger = await newOrganization()
    const ids = [owner.user_id, admin.user_id, stranger.owner.user_id, newId('usr')]
    const names = new Map([
      [owner.user_id, 'Ada'],
      [admin.user_id, localPart(admin.email)],
    ])
    expect(await peopleOf([owner.token]).displayNames(id, ids)).toEqual(answerOf(names))
    expect(await peopleOf([owner.token]).displayNames(id, [])).toEqual(answerOf(new Map()))
  })

  it('are in an organization with a name and a slug', async () => {
    const { id, name, slug, owner } = await newOrganization()
    expect(await peopleOf([owner.token]).organization(id)).toEqual(answerOf({ name, slug }))
  })

  it('of more than one page are all there', async () => {
    const { id, owner } = await newOrganization()
    for (let n = 0; n < 110; n++) await member(id, 'admin', `a${n}-${newId('req')}@a.test`)
    const answer = await peopleOf([owner.token]).ownersAndAdmins(id)
    const ids = answer.isKnown ? answer.value.map(({ user_id }) => user_id) : []
    expect(ids).toHaveLength(112)
    expect(ids).toEqual([...ids].sort())
  })

  it('have parts in an app as long as they are members, and none by the id of another organization', async () => {
    const { id, owner, admin, developer } = await newOrganization()
    const stranger = await newOrganization()
    const { id: appId } = await system.client(owner.token).call(createApp, { alias: 'shop' })
    for (const { user_id } of [admin, developer]) {
      await system.client(owner.token).call(setAppPerson, { alias: 'shop', user_id, part: 'builder' })
    }
    await system.client(owner.token).call(removeMember, { org_id: id, user_id: admin.user_id })
    const people = peopleOf([owner.token, stranger.owner.token])
    const holders = [
      { user_id: owner.user_id, part: 'administrator' },
      { user_id: developer.user_id, part: 'builder' },
    ]
    expect(await people.partHolders(id, appId)).toEqual(answerOf(holders))
    expect(await people.partHolders(stranger.id, appId)).toEqual(answerOf([]))
    expect(await people.partHolders(id, newId('app'))).toEqual(answerOf([]))
  })

  it('of an organization that it has no way to is unknown, which is not nobody', async () => {
    const { owner } = await newOrganization()
    const people = peopleOf([owner.token])
    const elsewhere = newId('org')
    expect(await people.ownersAndAdmins(elsewhere)).toEqual(UNKNOWN)
    expect(await people.member(elsewhere, owner.user_id)).toEqual(UNKNOWN)
    expect(await people.memberByEmail(elsewhere, owner.email)).toEqual(UNKNOWN)
    expect(await people.displayNames(elsewhere, [owner.user_id])).toEqual(UNKNOWN)
    expect(await people.organization(elsewhere)).toEqual(UNKNOWN)
  })

  it('are not asked for inside a transaction', async () => {
    const { id, owner } = await newOrganization()
    const people = peopleOf([owner.token])
    await people.member(id, owner.user_id)
    const asked = system.db.tx(() => people.member(id, owner.user_id))
    await expect(asked).rejects.toThrow('inside a transaction')
  })
})

describe('NO-05 a removed member', () => {
  it('is gone at once from the own store', async () => {
    const { id, owner, admin } = await newOrganization()
    const people = onOwnStore()
    expect(await people.member(id, admin.user_id)).toMatchObject({ value: { role: 'admin' } })
    await system.client(owner.token).call(removeMember, { org_id: id, user_id: admin.user_id })
    expect(await people.member(id, admin.user_id)).toEqual(answerOf(undefined))
    expect(await people.ownersAndAdmins(id)).toMatchObject({ value: [{ user_id: owner.user_id }] })
  })

  it('is gone from a hosted auth service after five seconds', async () => {
    const { id, owner, admin, developer } = await newOrganization()
    const people = onHosted([owner.token])
    expect(await people.member(id, admin.user_id)).toMatchObject({ value: { role: 'admin' } })
    await system.client(owner.token).call(removeMember, { org_id: id, user_id: admin.user_id })
    await system.client(owner.token).call(changeRole, { org_id: id, user_id: developer.user_id, role: 'viewer' })
    clock.advance(5_000)
    expect(await people.member(id, admin.user_id)).toEqual(answerOf(undefined))
    expect(await people.member(id, developer.user_id)).toMatchObject({ value: { role: 'viewer' } })
  })
})

describe('AU-09 people of a hosted auth service are unknown', () => {
  it('without a token, and nothing fails', async () => {
    const { id, owner } = await newOrganization()
    const people = onHosted([])
    expect(await people.ownersAndAdmins(id)).toEqual(UNKNOWN)
    expect(await people.member(id, owner.user_id)).toEqual(UNKNOWN)
    expect(await people.organization(id)).toEqual(UNKNOWN)
  })

  it('with a token of somebody who may not list members; the log says which', async () => {
    const { id, owner, developer } = await newOrganization()
    logs.length = 0
    expect(await onHosted([owner.token.replace(/.$/, '~'), developer.token]).ownersAndAdmins(id)).toEqual(UNKNOWN)
    expect(logs.join()).toContain('token 1 of SVC_AUTH_API_TOKEN is refused by the auth service')
    expect(logs.join()).toContain('token 2 of SVC_AUTH_API_TOKEN has the role developer and needs admin or owner')
  })

  it('once the token is revoked', async () => {
    const { id, owner, admin } = await newOrganization()
    const people = onHosted([admin.token])
    expect(await people.member(id, owner.user_id)).toMatchObject({ isKnown: true })
    await system.client(admin.token).call(revokeToken, { id: admin.id })
    clock.advance(5_000)
    expect(await people.member(id, owner.user_id)).toEqual(UNKNOWN)
  })

  it('for the time being, while it cannot be reached', async () => {
    const { id, owner } = await newOrganization()
    const people = onHosted([owner.token], 'http://127.0.0.1:1')
    expect(await people.ownersAndAdmins(id)).toEqual({ ...UNKNOWN, isTemporary: true })
  })

  it('for one organization only: the tokens of others still work', async () => {
    const [one, other] = [await newOrganization(), await newOrganization()]
    const people = onHosted(['x'.repeat(53), other.owner.token])
    expect(await people.organization(one.id)).toEqual(UNKNOWN)
    expect(await people.organization(other.id)).toEqual(answerOf({ name: other.name, slug: other.slug }))
  })
})
