import { ServiceError } from '#contract/core/errors.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import { listChannels, restartChannel, updateChannel } from '../store.ts'
import { openSigningSecret, type SealedSecret } from './secret-store.ts'
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

export type OpenWebhook = {
  /** The endpoint exactly as it was configured. */
  readonly url: string
  /** Secrets of Standard Webhooks, the current one first. Empty when the webhook has none. */
  readonly secrets: readonly string[]
}

type SealedWebhook = { id: string; secret: string; secrets: SealedSecret[] }

/**
 * Opens the URLs and signing secrets of webhooks with one statement, in the order of the ids. Undefined stands for a
 * webhook that does not exist or is not active.
 */
export async function openWebhooks(
  db: Querier,
  sealer: Sealer,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<(OpenWebhook | undefined)[]> {
  const rows = await db.query<SealedWebhook>(sql`
    select id, secret, coalesce((
      select json_agg(json_build_object('id', one.id, 'secret', one.secret) order by one.ends_at desc nulls first)
      from notifications.signing_secrets as one
      where one.channel_id = channels.id and (one.ends_at is null or one.ends_at > ${now})), '[]') as secrets
    from notifications.channels
    where id = any(${[...ids]}::text[]) and kind = 'webhook' and state = 'active' and secret is not null`)
  const opened = new Map(
    rows.map(({ id, secret, secrets }) => [
      id,
      {
        url: sealer.open(secret, CHANNEL_SECRETS.context({ id })),
        secrets: secrets.map((one) => openSigningSecret(sealer, one)),
      },
    ]),
  )
  return ids.map((id) => opened.get(id))
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
