import { notFound, ServiceError } from '#contract/core/errors.ts'
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  type Subscription,
} from '#contract/notifications/subscriptions.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { People } from '#ports/people.ts'
import type { SystemMails } from '#ports/system-mail.ts'
import { lockAddresses } from '../channels/email/address-store.ts'
import { askToConfirm } from '../channels/email/confirmation.ts'
import { type ChannelRow, findChannel } from '../channels/store.ts'
import { mailKey } from '../model/destination-key.ts'
import { patternFault } from '../model/pattern.ts'
import { lockDestinations } from '../queue/lock.ts'
import { addSubscription } from '../subscriptions/add.ts'
import {
  findSubscription,
  listSubscriptionRows,
  listUnconfirmed,
  removeSubscription,
  type SubscriptionRow,
  updateSubscription,
} from '../subscriptions/store.ts'
import { findUnsubscribedPattern, keepUnsubscribeLinks } from '../subscriptions/unsubscribed-store.ts'
import { noticeOf } from './notice.ts'

type Deps = {
  db: Db
  sealer: Sealer
  clock: Clock
  people: People
  mails: SystemMails
  /** Address of the console, which links begin with. */
  baseUrl: () => string
}

const MAX_SUBSCRIPTIONS = 200

export function subscriptionRoutes(deps: Deps): Route[] {
  return [listRoute(deps), createRoute(deps), changeRoute(deps), deleteRoute(deps)]
}

function listRoute({ db }: Deps): Route {
  return route(listSubscriptions, async (_, { principal }) => {
    return { items: (await listSubscriptionRows(db, principal.org_id)).map(present) }
  })
}

function createRoute(deps: Deps): Route {
  const { db, sealer, clock, people } = deps
  return route(createSubscription, async ({ event_type, channel_id, timing }, { principal }) => {
    refuseUnknownType(event_type)
    const { org_id } = principal
    const organization = await people.organization(org_id)
    const orgName = organization.known ? organization.value.name : undefined
    return db.tx(async (tx) => {
      const channel = await findChannel(tx, org_id, channel_id)
      if (!channel) throw notFound('channel')
      const isUnconfirmed = await hasUnsubscribedPart(tx, channel, event_type)
      if ((await listSubscriptionRows(tx, org_id)).length >= MAX_SUBSCRIPTIONS) throw tooMany()
      const added = { org_id, owner: 'organization', channel_id, pattern: event_type, timing, isUnconfirmed } as const
      const id = await addSubscription(tx, sealer, added)
      if (id === undefined) throw exists(event_type)
      if (isUnconfirmed) await askPerson(tx, deps, channel, orgName)
      await auditChange(tx, principal, { action: 'subscription.created', id, at: clock.now() })
      return present((await findSubscription(tx, org_id, id))!)
    })
  })
}

function changeRoute({ db, clock }: Deps): Route {
  return route(changeSubscription, async ({ id, ...change }, { principal }) => {
    return db.tx(async (tx) => {
      if (!(await findSubscription(tx, principal.org_id, id))) throw notFound('subscription')
      if (!(await updateSubscription(tx, { orgId: principal.org_id, id, ...change }))) throw unsubscribed()
      await auditChange(tx, principal, { action: 'subscription.changed', id, at: clock.now() })
      return present((await findSubscription(tx, principal.org_id, id))!)
    })
  })
}

function deleteRoute({ db, clock }: Deps): Route {
  return route(deleteSubscription, async ({ id }, { principal }) => {
    return db.tx(async (tx) => {
      await keepUnsubscribeLinks(tx, { subscriptionId: id, orgId: principal.org_id })
      if (!(await removeSubscription(tx, principal.org_id, id))) throw notFound('subscription')
      await auditChange(tx, principal, { action: 'subscription.deleted', id, at: clock.now() })
      return { deleted: true as const }
    })
  })
}

function refuseUnknownType(eventType: string): void {
  const message = patternFault(eventType)
  if (message !== undefined) {
    throw new ServiceError('INVALID_REQUEST', message, { errors: [{ path: 'event_type', message }] })
  }
}

/** Whether a subscription would bring back a part of what the person behind the address unsubscribed from. */
async function hasUnsubscribedPart(tx: Tx, { org_id, kind, settings }: ChannelRow, pattern: string): Promise<boolean> {
  if (kind !== 'email') return false
  const address = String(settings.address)
  return (await findUnsubscribedPattern(tx, { org_id, address, pattern })) !== undefined
}

/** Mails the person which subscriptions wait for them. Nothing is stored if they may not be mailed. */
async function askPerson(
  tx: Tx,
  { mails, clock, baseUrl }: Deps,
  { id: channelId, org_id, settings }: ChannelRow,
  orgName: string | undefined,
): Promise<void> {
  const address = String(settings.address)
  await lockAddresses(tx, org_id)
  await lockDestinations(tx, [mailKey({ org_id }, address)])
  const eventTypes = await listUnconfirmed(tx, channelId)
  const asked = { org_id, orgName, channelId, address, eventTypes, baseUrl: baseUrl(), now: clock.now() }
  await askToConfirm(tx, mails, asked)
}

function exists(eventType: string): ServiceError {
  return new ServiceError('SUBSCRIPTION_EXISTS', `This channel is already subscribed to ${eventType}.`)
}

function tooMany(): ServiceError {
  const detail = `An organization can have ${MAX_SUBSCRIPTIONS} subscriptions. Delete one you do not need, or use a prefix.`
  return new ServiceError('SUBSCRIPTION_LIMIT', detail)
}

function unsubscribed(): ServiceError {
  const detail = 'The recipient unsubscribed from this subscription, so it cannot be enabled again.'
  return new ServiceError('UNSUBSCRIBED', detail)
}

type Change = { action: string; id: string; at: Date }

async function auditChange(tx: Tx, principal: Member, { action, id, at }: Change): Promise<void> {
  await audit(tx, { org_id: principal.org_id, actor: actorOf(principal), action, target: id, at })
}

function present(row: SubscriptionRow): Subscription {
  const { channel_id, channel_kind, channel_label, channel_state, pattern, created_at, ...rest } = row
  return {
    ...rest,
    event_type: pattern,
    notice: noticeOf(row),
    channel: { id: channel_id, kind: channel_kind, label: channel_label, state: channel_state },
    created_at: created_at.toISOString(),
  }
}
