import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Timing } from '../model/notification.ts'
import { newUnsubscribeToken, UNSUBSCRIBE_TOKENS, unsubscribeDigest } from './unsubscribe-token.ts'

export type NewSubscription = {
  org_id: string
  pattern: string
  timing: Timing
  /** It waits until the person behind the address confirms. */
  isUnconfirmed?: boolean
} & (
  | { owner: 'organization'; channel_id: string; user_id?: undefined }
  | { owner: 'reporter' | 'support_access'; user_id: string; channel_id?: undefined }
)

/** Returns the id, or undefined when the same subscription exists: of this channel and type, or of this person. */
export async function addSubscription(tx: Tx, sealer: Sealer, added: NewSubscription): Promise<string | undefined> {
  const id = newId('sub')
  const token = newUnsubscribeToken()
  const [row] = await tx.query<{ id: string }>(sql`
    insert into notifications.subscriptions
      (id, org_id, owner, user_id, channel_id, pattern, timing, enabled, disabled_by, awaits_recipient,
       unsubscribe_digest, unsubscribe_token, created_at)
    values (${id}, ${added.org_id}, ${added.owner}, ${added.user_id ?? null}, ${added.channel_id ?? null},
      ${added.pattern}, ${added.timing}, ${added.isUnconfirmed !== true},
      ${added.isUnconfirmed === true ? 'unsubscribe' : null}, ${added.isUnconfirmed === true}, ${unsubscribeDigest(token)},
      ${sealer.seal(token, UNSUBSCRIBE_TOKENS.context({ id }))}, clock_timestamp())
    on conflict do nothing
    returning id`)
  return row?.id
}
