import { ServiceError } from '#contract/core/errors.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { rescheduleDestinations } from '../../deliver/reschedule.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import { isSameEndpoint } from './url.ts'

export const MAX_WEBHOOKS = 20

export type WebhookSettings = { name: string | null; per_message: number }

/** Holds off every other change of the organization's webhooks until the transaction ends. */
export async function lockWebhooks(tx: Tx, orgId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${orgId}`}, 0))`)
}

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
  const rows = await tx.query(sql`
    select from notifications.channels where org_id = ${orgId} and kind = 'webhook' limit ${MAX_WEBHOOKS}`)
  if (rows.length < MAX_WEBHOOKS) return
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
  await tx.query(sql`
    update notifications.channels set label = ${label}, settings = settings || ${JSON.stringify(settings)}::jsonb
    where id = ${id}`)
}

/**
 * Saves a URL and lets the webhook begin anew: what the circuit breaker learnt, and the 410 that disabled it, were about
 * the former URL. Subscriptions that an admin disabled stay disabled.
 */
export async function replaceUrl(tx: Tx, sealer: Sealer, { id, url }: { id: string; url: string }): Promise<void> {
  await tx.query(sql`
    update notifications.destinations set failures = 0, paused_until = null where key = ${`webhook:${id}`}`)
  await tx.query(sql`
    update notifications.channels
    set secret = ${sealer.seal(url, CHANNEL_SECRETS.context({ id }))}, state = 'active', disabled_reason = null,
        failing_since = null, failures = 0, failure_mailed_at = null,
        settings = settings || jsonb_build_object('url_saved_at', clock_timestamp())
    where id = ${id}`)
  await tx.query(sql`
    update notifications.subscriptions set enabled = true, disabled_by = null
    where channel_id = ${id} and disabled_by = 'gone'`)
  await rescheduleDestinations(tx, [`webhook:${id}`])
}

export async function deleteChannel(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from notifications.channels where id = ${id}`)
}
