import { notFound, ServiceError } from '#contract/core/errors.ts'
import { addEmail, deleteEmail } from '#contract/notifications/email.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { People } from '#ports/people.ts'
import type { SystemMails } from '#ports/system-mail.ts'
import { mailKey } from '../../model/destination-key.ts'
import { lockDestinations } from '../../queue/lock.ts'
import { hasUnsubscribed, keepUnsubscribeLinks } from '../../subscriptions/unsubscribed-store.ts'
import { presentChannel } from '../routes.ts'
import { type ChannelRow, deleteChannel, findChannel, insertChannel } from '../store.ts'
import {
  activateForMember,
  countAddresses,
  endMembership,
  findByAddress,
  lockAddresses,
  MAX_ADDRESSES,
} from './address-store.ts'
import { askToConfirm } from './confirmation.ts'

type Deps = {
  db: Db
  sealer: Sealer
  clock: Clock
  people: People
  mails: SystemMails
  /** Address of the console, which links begin with. */
  baseUrl: () => string
}

export function emailRoutes(deps: Deps): Route[] {
  return [addRoute(deps), deleteRoute(deps)]
}

type Wanted = {
  address: string
  askAgain: boolean
  memberId: string | undefined
  orgName: string | undefined
}

function addRoute(deps: Deps): Route {
  const { db, people } = deps
  return route(addEmail, async ({ address, ask_again }, { principal }) => {
    const { org_id } = principal
    const memberId = await findMember(people, org_id, address)
    const organization = await people.organization(org_id)
    const orgName = organization.known ? organization.value.name : undefined
    return db.tx(async (tx) => {
      await lockAddresses(tx, org_id)
      const id = await addAddress(tx, deps, principal, { address, askAgain: ask_again, memberId, orgName })
      return presentChannel((await findChannel(tx, org_id, id))!)
    })
  })
}

/** Returns the user id of the member with this address. Where people are not known, nobody counts as a member. */
async function findMember(people: People, orgId: string, address: string): Promise<string | undefined> {
  const member = await people.memberByEmail(orgId, address)
  if (member.known) return member.value?.user_id
  if (!member.isTemporary) return undefined
  throw new ServiceError('UNAVAILABLE', 'The auth service does not answer, so members are not known. Try again later.')
}

async function addAddress(tx: Tx, deps: Deps, principal: Member, wanted: Wanted): Promise<string> {
  const { org_id } = principal
  // Destinations are locked before channels everywhere, so that two transactions cannot wait for each other.
  await lockDestinations(tx, [mailKey({ org_id }, wanted.address)])
  const existing = await findByAddress(tx, org_id, wanted.address)
  if (existing && wanted.memberId !== undefined && existing.isByMembership) {
    await activateForMember(tx, existing.id, wanted.memberId)
  }
  const isEnded = existing?.isActive === true && existing.isByMembership && wanted.memberId === undefined
  if (isEnded) await endMembership(tx, existing.id)
  const channel = existing
    ? (await findChannel(tx, org_id, existing.id))!
    : await insertAddress(tx, deps, principal, wanted)
  const isUnconfirmed = channel.state === 'unconfirmed'
  const isAskedNow = isUnconfirmed && (existing === undefined || isEnded)
  const mayAskAgain = isUnconfirmed || (await hasUnsubscribed(tx, { org_id, address: wanted.address }))
  if (isAskedNow || (wanted.askAgain && mayAskAgain)) await ask(tx, deps, principal, { channel, wanted })
  return channel.id
}

async function ask(
  tx: Tx,
  { mails, clock, baseUrl }: Deps,
  principal: Member,
  { channel, wanted: { address, orgName } }: { channel: ChannelRow; wanted: Wanted },
): Promise<void> {
  const { org_id } = principal
  const now = clock.now()
  await askToConfirm(tx, mails, { org_id, orgName, channelId: channel.id, address, baseUrl: baseUrl(), now })
  await auditChange(tx, principal, { action: 'email.confirmation_requested', channel, at: now })
}

async function insertAddress(
  tx: Tx,
  { sealer, clock }: Deps,
  principal: Member,
  { address, memberId }: Wanted,
): Promise<ChannelRow> {
  const { org_id } = principal
  if ((await countAddresses(tx, org_id)) >= MAX_ADDRESSES) {
    const words = `An organization can have ${MAX_ADDRESSES} email addresses. Delete one you do not need.`
    throw new ServiceError('CHANNEL_LIMIT', words)
  }
  const state = memberId === undefined ? 'unconfirmed' : 'active'
  const settings = memberId === undefined ? { address } : { address, member_id: memberId }
  const channel = await insertChannel(tx, sealer, { org_id, kind: 'email', label: address, state, settings })
  await auditChange(tx, principal, { action: 'email.added', channel, at: clock.now() })
  return channel
}

function deleteRoute({ db, clock }: Deps): Route {
  return route(deleteEmail, async ({ id }, { principal }) => {
    return db.tx(async (tx) => {
      await lockAddresses(tx, principal.org_id)
      const channel = await findChannel(tx, principal.org_id, id)
      if (channel?.kind !== 'email') throw notFound('email address')
      await keepUnsubscribeLinks(tx, { channelId: id, orgId: principal.org_id })
      await deleteChannel(tx, id)
      await auditChange(tx, principal, { action: 'email.deleted', channel, at: clock.now() })
      return { deleted: true as const }
    })
  })
}

type Change = { action: string; channel: ChannelRow; at: Date }

async function auditChange(tx: Tx, principal: Member, { action, channel, at }: Change): Promise<void> {
  const { org_id } = principal
  await audit(tx, {
    org_id,
    actor: actorOf(principal),
    action,
    target: channel.id,
    detail: { address: channel.label },
    at,
  })
}
