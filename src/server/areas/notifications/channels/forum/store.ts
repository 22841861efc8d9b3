import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import type { TopicIdentity } from './topic.ts'

/** What is known of a forum once it is configured. */
export type ForumSettings = { readonly url: string; readonly category: number }
export type OpenForum = ForumSettings & { readonly apiKey: string }
/** `secret` is sealed; it changes with every saved key. `config` is null until the forum is configured. */
export type ForumRow = { readonly id: string; readonly secret: string; readonly config: ForumSettings | null }

/** Holds off every other change of the organization's forum until the transaction ends. */
export async function lockForum(tx: Tx, orgId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`forum ${orgId}`}, 0))`)
}

/** An organization has one forum at most. */
export async function findForum(db: Querier, orgId: string): Promise<ForumRow | undefined> {
  const [row] = await db.query<{ id: string; secret: string; settings: Partial<ForumSettings> }>(sql`
    select id, secret, settings from notifications.channels where org_id = ${orgId} and kind = 'forum'`)
  if (!row) return undefined
  const { url, category } = row.settings
  return { ...row, config: url === undefined || category === undefined ? null : { url, category } }
}

export function openKey(sealer: Sealer, { id, secret }: Pick<ForumRow, 'id' | 'secret'>): string {
  return sealer.open(secret, CHANNEL_SECRETS.context({ id }))
}

export async function replaceKey(tx: Tx, { id, secret }: Pick<ForumRow, 'id' | 'secret'>): Promise<void> {
  await tx.query(sql`update notifications.channels set secret = ${secret} where id = ${id}`)
}

export async function saveConfig(tx: Tx, id: string, config: ForumSettings): Promise<void> {
  const label = `${config.url} (category ${config.category})`
  await tx.query(sql`
    update notifications.channels set label = ${label}, settings = settings || ${JSON.stringify(config)}::jsonb
    where id = ${id}`)
}

/** Returns undefined when the forum does not exist or is not active. */
export async function openForum(db: Querier, sealer: Sealer, id: string): Promise<OpenForum | undefined> {
  const [row] = await db.query<{ secret: string; settings: ForumSettings }>(sql`
    select secret, settings from notifications.channels where id = ${id} and kind = 'forum' and state = 'active'`)
  if (!row) return undefined
  const { url, category } = row.settings
  return { url, category, apiKey: openKey(sealer, { id, secret: row.secret }) }
}

/** What identifies the topic of a delivery that is no resend. */
export async function readTopicIdentity(db: Querier, deliveryId: string): Promise<TopicIdentity> {
  const [row] = await db.query<TopicIdentity>(sql`
    select digest_key, window_end,
      (select min(event_id) from notifications.notifications where delivery_id = ${deliveryId}) as event_id
    from notifications.deliveries where id = ${deliveryId}`)
  return row ?? { digest_key: null, window_end: null, event_id: null }
}
