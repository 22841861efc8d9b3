import { ServiceError } from '#contract/core/errors.ts'
import { addEmail, deleteEmail } from '#contract/notifications/email.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { auditBy } from '#ports/audit.ts'
import type { People } from '#ports/people.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { mailKey } from '../../model/destination-key.ts'
import { lockDestinations } from '../../store/lock.ts'
import { hasUnsubscribed, keepUnsubscribeLinks } from '../../subscriptions/unsubscribed-store.ts'
import { presentChannel } from '../routes.ts'
import { type ChannelRow, deleteChannel, insertChannel, listChannels, lockChannels, requireChannel } from '../store.ts'
import { activateForMember, endMembership, findByAddress, MAX_ADDRESSES } from './address-store.ts'
import { askToConfirm } from './confirmation.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'clock' | 'people' | 'mails' | 'baseUrl'>

export function emailRoutes(deps: Deps): Route[] {
  const { db, clock, people } = deps
  return [
    route(addEmail, async ({ address, ask_again }, { principal }) => {
      const { org_id } = principal
      const memberId = await findMember(people, org_id, address)
      const organization = await people.organization(org_id)
      const orgName = organization.isKnown ? organization.value.name : undefined
      return db.tx(async (tx) => {
        await lockChannels(tx, org_id, 'email')
        const id = await addAddress(tx, deps, principal, { address, askAgain: ask_again, memberId, orgName })
        return presentChannel(await requireChannel(tx, org_id, id), clock.now())
      })
    }),
    route(deleteEmail, async ({ id }, { principal }) => {
      return db.tx(async (tx) => {
        await lockChannels(tx, principal.org_id, 'email')
        const channel = await requireChannel(tx, principal.org_id, id, 'email')
        await keepUnsubscribeLinks(tx, { channelId: id, orgId: principal.org_id })
        await deleteChannel(tx, id)
        await auditBy(tx, principal, { action: 'email.deleted', ...entryOf(channel), at: clock.now() })
        return { deleted: true as const }
      })
    }),
  ]
}

type NewAddress = {
  address: string
  askAgain: boolean
  memberId: string | undefined
  orgName: string | undefined
}

/** Returns the user id of the member with this address. Where people are not known, nobody counts as a member. */
async function findMember(people: People, orgId: string, address: string): Promise<string | undefined> {
  const member = await people.memberByEmail(orgId, address)
  if (member.isKnown) return member.value?.user_id
  if (!member.isTemporary) return undefined
  throw new ServiceError('UNAVAILABLE', 'The auth service does not answer, so members are not known. Try again later.')
}

async function addAddress(tx: Tx, deps: Deps, principal: Member, newAddress: NewAddress): Promise<string> {
  const { org_id } = principal
  // Destinations are locked before channels everywhere, so that two transactions cannot wait for each other.
  await lockDestinations(tx, [mailKey({ org_id }, newAddress.address)])
  const existing = await findByAddress(tx, org_id, newAddress.address)
  if (existing && newAddress.memberId !== undefined && existing.isByMembership) {
    await activateForMember(tx, existing.id, newAddress.memberId)
  }
  const isEnded = existing?.isActive === true && existing.isByMembership && newAddress.memberId === undefined
  if (isEnded) await endMembership(tx, existing.id)
  const channel = existing
    ? await requireChannel(tx, org_id, existing.id)
    : await insertAddress(tx, deps, principal, newAddress)
  const isUnconfirmed = channel.state === 'unconfirmed'
  const isAskedNow = isUnconfirmed && (existing === undefined || isEnded)
  const mayAskAgain = isUnconfirmed || (await hasUnsubscribed(tx, { org_id, address: newAddress.address }))
  if (isAskedNow || (newAddress.askAgain && mayAskAgain)) await ask(tx, deps, principal, { channel, newAddress })
  return channel.id
}

async function ask(
  tx: Tx,
  { mails, clock, baseUrl }: Deps,
  principal: Member,
  { channel, newAddress: { address, orgName } }: { channel: ChannelRow; newAddress: NewAddress },
): Promise<void> {
  const { org_id } = principal
  const now = clock.now()
  await askToConfirm(tx, mails, { org_id, orgName, channelId: channel.id, address, baseUrl: baseUrl(), now })
  await auditBy(tx, principal, { action: 'email.confirmation_requested', ...entryOf(channel), at: now })
}

async function insertAddress(
  tx: Tx,
  { sealer, clock }: Deps,
  principal: Member,
  { address, memberId }: NewAddress,
): Promise<ChannelRow> {
  const { org_id } = principal
  if ((await listChannels(tx, org_id, 'email')).length >= MAX_ADDRESSES) {
    const words = `An organization can have ${MAX_ADDRESSES} email addresses. Delete one you do not need.`
    throw new ServiceError('CHANNEL_LIMIT', words)
  }
  const state = memberId === undefined ? 'unconfirmed' : 'active'
  const settings = memberId === undefined ? { address } : { address, member_id: memberId }
  const channel = await insertChannel(tx, sealer, { org_id, kind: 'email', label: address, state, settings })
  await auditBy(tx, principal, { action: 'email.added', ...entryOf(channel), at: clock.now() })
  return channel
}

function entryOf({ id, label }: ChannelRow) {
  return { target: id, detail: { address: label } }
}
