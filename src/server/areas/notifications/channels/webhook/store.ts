import { ServiceError } from '#contract/core/errors.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import { listChannels, restartChannel, updateChannel } from '../store.ts'
import { isSameEndpoint } from './url.ts'

const MAX_WEBHOOKS = 20

export type WebhookSettings = { name: string | null; per_message: number }

/** Throws if another webhook of the organization has the same endpoint. The caller holds the lock. */
export async function refuseKnownUrl(
  tx: Tx,
  sealer: Sealer,
  { orgId, url, exceptId }: { orgId: string; url: string; exceptId?: string },
): Promise<void> {
  const rows = await tx.query<{ id: string; label: string; secret: string }>(sql`
    select id, label, secret from notifications.channels
    where org_id = ${orgId} and kind = 'webhook' and secret is not null and id is distinct from ${exceptId ?? null}`)
  const same = rows.find(({ id, secret }) => isSameEndpoint(sealer.open(secret, CHANNEL_SECRETS.context({ id })), url))
  if (!same) return
  const words = `This URL is the webhook ${same.id} (${same.label}) already. Change that one, or use another URL.`
  throw new ServiceError('CHANNEL_EXISTS', words)
}

/** Throws if the organization has as many webhooks as it may have. The caller holds the lock. */
export async function refuseTooManyWebhooks(tx: Tx, orgId: string): Promise<void> {
  if ((await listChannels(tx, orgId, 'webhook')).length < MAX_WEBHOOKS) return
  const words = `An organization can have ${MAX_WEBHOOKS} webhooks. Delete one you do not need.`
  throw new ServiceError('CHANNEL_LIMIT', words)
}

export async function readUrl(db: Querier, sealer: Sealer, id: string): Promise<string> {
  const [row] = await db.query<{ secret: string }>(sql`select secret from notifications.channels where id = ${id}`)
  return sealer.open(row!.secret, CHANNEL_SECRETS.context({ id }))
}

export async function updateWebhook(
  tx: Tx,
  { id, label, settings }: { id: string; label: string; settings: WebhookSettings },
): Promise<void> {
  // Destinations are locked before channels everywhere, so that two transactions cannot wait for each other.
  await tx.query(sql`
    update notifications.destinations set max_per_message = ${settings.per_message} where key = ${`webhook:${id}`}`)
  await updateChannel(tx, { id, label, settings })
}

/** Saves a URL, also the same one again: it enables a webhook that was disabled because its receiver answered 410. */
export async function replaceUrl(tx: Tx, sealer: Sealer, { id, url }: { id: string; url: string }): Promise<void> {
  await restartChannel(tx, { id, kind: 'webhook', secret: sealer.seal(url, CHANNEL_SECRETS.context({ id })) })
}
