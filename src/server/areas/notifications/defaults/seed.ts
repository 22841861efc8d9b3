import type { Sealer } from '#lib/crypto/seal.ts'
import type { Tx } from '#lib/db/db.ts'
import { addSubscription, type NewSubscription } from '../subscriptions/store.ts'
import { claimSeed, readUnseededChats, type Seed } from './store.ts'

/**
 * Makes a default subscription unless it was made before. The seed stays when the subscription is disabled or deleted,
 * so the platform makes each default once for ever.
 */
async function seedOnce(tx: Tx, sealer: Sealer, seed: Seed, subscription: NewSubscription): Promise<void> {
  if (await claimSeed(tx, subscription.org_id, seed)) await addSubscription(tx, sealer, subscription)
}

/** The first pipeline event of an organization subscribes its chat channel to all four. Without one nothing is made. */
export async function seedPipelines(tx: Tx, sealer: Sealer, orgIds: readonly string[]): Promise<void> {
  if (orgIds.length === 0) return
  const pipelines = { pattern: 'pipeline.run.*', timing: 'immediately', owner: 'organization' } as const
  for (const { id, org_id } of await readUnseededChats(tx, orgIds)) {
    const subscription = { ...pipelines, org_id, channel_id: id }
    await seedOnce(tx, sealer, { kind: 'pipelines', key: 'pipelines' }, subscription)
  }
}

/**
 * Called when a chat channel is connected: it is subscribed to new tickets, once for each channel. `identity` names the
 * channel at the chat service, because our own id of it changes when it is disconnected and connected again.
 */
export async function seedTickets(
  tx: Tx,
  sealer: Sealer,
  { orgId, channelId, identity }: { orgId: string; channelId: string; identity: string },
): Promise<void> {
  const tickets = { pattern: 'support.ticket.created', timing: 'immediately', owner: 'organization' } as const
  const subscription = { ...tickets, org_id: orgId, channel_id: channelId }
  await seedOnce(tx, sealer, { kind: 'tickets_on_channel', key: identity }, subscription)
}

/** Called when subscriptions move to another chat channel: connecting that one again later must not add the default. */
export async function rememberTicketsSeed(tx: Tx, orgId: string, identity: string): Promise<void> {
  await claimSeed(tx, orgId, { kind: 'tickets_on_channel', key: identity })
}

/** A mail to one person about replies to their tickets, or about support access. */
export async function seedPersonalMail(
  tx: Tx,
  sealer: Sealer,
  { org_id, user_id, owner }: { org_id: string; user_id: string; owner: 'reporter' | 'support_access' },
): Promise<void> {
  const pattern = owner === 'reporter' ? 'support.ticket.replied' : 'org.support_access.*'
  const subscription = { org_id, owner, user_id, pattern, timing: 'immediately' } as const
  await seedOnce(tx, sealer, { kind: owner, key: user_id }, subscription)
}
