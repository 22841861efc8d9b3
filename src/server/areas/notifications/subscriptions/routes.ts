import { notFound, ServiceError } from '#contract/core/errors.ts'
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  type Subscription,
} from '#contract/notifications/subscriptions.ts'
import { audit } from '#edge/audit.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { type ChannelRow, findChannel } from '../channels/store.ts'
import { patternFault } from '../match/pattern.ts'
import { addSubscription } from './add.ts'
import {
  findSubscription,
  listSubscriptionRows,
  removeSubscription,
  type SubscriptionRow,
  updateSubscription,
} from './store.ts'
import { findUnsubscribedPattern, keepUnsubscribeLinks } from './unsubscribed-store.ts'

type Deps = { db: Db; sealer: Sealer; clock: Clock }

const MAX_SUBSCRIPTIONS = 200

export function subscriptionRoutes(deps: Deps): Route[] {
  return [listRoute(deps), createRoute(deps), changeRoute(deps), deleteRoute(deps)]
}

function listRoute({ db }: Deps): Route {
  return route(listSubscriptions, async (_, { principal }) => {
    return { items: (await listSubscriptionRows(db, principal.org_id)).map(present) }
  })
}

function createRoute({ db, sealer, clock }: Deps): Route {
  return route(createSubscription, async ({ event_type, channel_id, timing }, { principal }) => {
    refuseUnknownType(event_type)
    const { org_id } = principal
    return db.tx(async (tx) => {
      const channel = await findChannel(tx, org_id, channel_id)
      if (!channel) throw notFound('channel')
      await refuseUnsubscribed(tx, channel, event_type)
      if ((await listSubscriptionRows(tx, org_id)).length >= MAX_SUBSCRIPTIONS) throw tooMany()
      const added = { org_id, owner: 'organization', channel_id, pattern: event_type, timing } as const
      const id = await addSubscription(tx, sealer, added)
      if (id === undefined) throw exists(event_type)
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

/** What a person unsubscribed from is not sent to their address again, by no other subscription either. */
async function refuseUnsubscribed(tx: Tx, { org_id, kind, settings }: ChannelRow, pattern: string): Promise<void> {
  if (kind !== 'email') return
  const address = String(settings.address)
  const former = await findUnsubscribedPattern(tx, { org_id, address, pattern })
  if (former === undefined) return
  const why = `The person behind ${address} unsubscribed from ${former}, and only they can undo that.`
  const how = 'PUT /api/integrations/email with ask_again mails them a link. Once they confirm, try again.'
  throw new ServiceError('UNSUBSCRIBED', `${why} ${how}`)
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
    channel: { id: channel_id, kind: channel_kind, label: channel_label, state: channel_state },
    created_at: created_at.toISOString(),
  }
}
