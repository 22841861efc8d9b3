import type { Sealer } from '#lib/crypto/seal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { ClaimedDelivery } from '../../deliver/claim.ts'
import type { Ended } from '../../deliver/finish.ts'
import { CHANNEL_SECRETS } from '../secret.ts'
import type { TopicIdentity } from './topic.ts'

export type ForumSettings = { readonly url: string; readonly category: number }
export type OpenForum = ForumSettings & { readonly apiKey: string }
/** `secret` is sealed; it changes with every saved key. `config` is null until the forum is configured. */
export type ForumRow = { readonly id: string; readonly secret: string; readonly config: ForumSettings | null }

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

/** Returns undefined when the forum does not exist or is not active. */
export async function openForum(db: Querier, sealer: Sealer, id: string): Promise<OpenForum | undefined> {
  const [row] = await db.query<{ secret: string; settings: ForumSettings }>(sql`
    select secret, settings from notifications.channels where id = ${id} and kind = 'forum' and state = 'active'`)
  if (!row) return undefined
  const { url, category } = row.settings
  return { url, category, apiKey: openKey(sealer, { id, secret: row.secret }) }
}

export type Unsettled = Ended['delivery'] & Pick<ClaimedDelivery, 'resend_of'>

/** The newest deliveries to forums whose outcome became unknown in the last day. */
export async function readUnsettled(db: Querier, limit: number): Promise<Unsettled[]> {
  return db.query(sql`
    select id, org_id, fence, attempt, kind, destination_key, channel_id, user_id, resend_of
    from notifications.deliveries
    where kind = 'forum' and state = 'unknown' and ended_at > clock_timestamp() - interval '1 day'
    order by ended_at desc limit ${limit}`)
}

/** Reads the fields that identify the topic of a delivery. A resend has those of the delivery that it repeats. */
export async function readTopicIdentity(
  db: Querier,
  { id, resend_of }: Pick<ClaimedDelivery, 'id' | 'resend_of'>,
): Promise<TopicIdentity> {
  const deliveryId = resend_of ?? id
  const [row] = await db.query<TopicIdentity>(sql`
    select digest_key, window_end,
      (select min(event_id) from notifications.notifications where delivery_id = ${deliveryId}) as event_id
    from notifications.deliveries where id = ${deliveryId}`)
  return row ?? { digest_key: null, window_end: null, event_id: null }
}
