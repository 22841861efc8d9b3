import { notFound, ServiceError } from '#contract/core/errors.ts'
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  type Subscription,
} from '#contract/notifications/subscriptions.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { auditBy } from '#ports/audit.ts'
import { askToConfirm } from '../channels/email/confirmation.ts'
import { type ChannelRow, lockChannels, requireChannel } from '../channels/store.ts'
import type { NotificationDeps } from '../model/deps.ts'
import { mailKey } from '../model/destination-key.ts'
import { patternFault } from '../model/pattern.ts'
import { lockDestinations } from '../store/lock.ts'
import {
  addSubscription,
  listSubscriptionRows,
  listUnconfirmed,
  removeSubscription,
  requireSubscription,
  type SubscriptionRow,
  updateSubscription,
} from '../subscriptions/store.ts'
import { keepUnsubscribeLinks, listUnsubscribedParts } from '../subscriptions/unsubscribed-store.ts'
import { noticeOf } from './notice.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'clock' | 'people' | 'mails' | 'baseUrl'>

const MAX_SUBSCRIPTIONS = 200

export function subscriptionRoutes(deps: Deps): Route[] {
  const { db, sealer, clock, people } = deps
  return [
    route(listSubscriptions, async (_, { principal }) => {
      return { items: (await listSubscriptionRows(db, principal.org_id)).map(present) }
    }),
    route(createSubscription, async ({ event_type, channel_id, timing }, { principal }) => {
      refuseUnknownType(event_type)
      const { org_id } = principal
      const organization = await people.organization(org_id)
      const orgName = organization.isKnown ? organization.value.name : undefined
      return db.tx(async (tx) => {
        const channel = await requireChannel(tx, org_id, channel_id)
        const isUnconfirmed = await hasUnsubscribedPart(tx, channel, event_type)
        if ((await listSubscriptionRows(tx, org_id)).length >= MAX_SUBSCRIPTIONS) throw tooMany()
        const added = { org_id, owner: 'organization', channel_id, pattern: event_type, timing, isUnconfirmed } as const
        const id = await addSubscription(tx, sealer, added)
        if (id === undefined) throw exists(event_type)
        if (isUnconfirmed) await askPerson(tx, deps, channel, orgName)
        await auditBy(tx, principal, { action: 'subscription.created', target: id, at: clock.now() })
        return present(await requireSubscription(tx, org_id, id))
      })
    }),
    route(changeSubscription, async ({ id, ...change }, { principal }) => {
      return db.tx(async (tx) => {
        await requireSubscription(tx, principal.org_id, id)
        if (!(await updateSubscription(tx, { orgId: principal.org_id, id, ...change }))) throw unsubscribed()
        await auditBy(tx, principal, { action: 'subscription.changed', target: id, at: clock.now() })
        return present(await requireSubscription(tx, principal.org_id, id))
      })
    }),
    route(deleteSubscription, async ({ id }, { principal }) => {
      return db.tx(async (tx) => {
        await keepUnsubscribeLinks(tx, { subscriptionId: id, orgId: principal.org_id })
        if (!(await removeSubscription(tx, principal.org_id, id))) throw notFound('subscription')
        await auditBy(tx, principal, { action: 'subscription.deleted', target: id, at: clock.now() })
        return { deleted: true as const }
      })
    }),
  ]
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
  return (await listUnsubscribedParts(tx, { org_id, address, pattern })).length > 0
}

/** Mails the person which subscriptions wait for them. Nothing is stored if they may not be mailed. */
async function askPerson(
  tx: Tx,
  { mails, clock, baseUrl }: Deps,
  { id: channelId, org_id, settings }: ChannelRow,
  orgName: string | undefined,
): Promise<void> {
  const address = String(settings.address)
  await lockChannels(tx, org_id, 'email')
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
