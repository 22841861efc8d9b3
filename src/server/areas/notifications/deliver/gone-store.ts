import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { ACCOUNT_INACTIVE, INSTALLATION_BROKEN } from '../model/outcome.ts'

/** Why the destination of an attempt counts as gone. */
type Gone = { reason: string; attempt: { id: string; fence: number } }

/**
 * Disables a channel that does not exist any more at the other side. Subscriptions to a lost chat connection are
 * disabled with it, marked so that reconnecting enables exactly these again.
 */
export async function disableGoneChannel(tx: Tx, { id, reason, attempt }: Gone & { id: string }): Promise<void> {
  // An attempt that began before a URL was saved may have reached the former URL, so it says nothing of this one.
  const disabled = await tx.query(sql`
    update notifications.channels set state = 'disabled', disabled_reason = ${reason}
    where id = ${id} and state = 'active' and not exists (
      select from notifications.deliveries
      where id = ${attempt.id} and fence = ${attempt.fence}
        and started_at < (settings ->> 'url_saved_at')::timestamptz)
    returning id`)
  if (disabled.length === 0) return
  await tx.query(sql`
    update notifications.subscriptions
    set enabled = false, disabled_by = (
      select case kind when 'chat' then 'connection_lost' else 'gone' end
      from notifications.channels where id = ${id})
    where channel_id = ${id} and enabled`)
}

type GoneTarget = Gone & { org_id: string; user_id: string | null }

/**
 * Records that a person's account or the organization's installation stopped working, so that nothing more is sent. An
 * attempt that began before the account was linked, or the app installed, says nothing about the present ones.
 */
export async function disableGoneTarget(tx: Tx, { org_id, user_id, reason, attempt }: GoneTarget): Promise<void> {
  const startedAt = sql`
    (select started_at from notifications.deliveries where id = ${attempt.id} and fence = ${attempt.fence})`
  if (reason === ACCOUNT_INACTIVE) {
    await tx.query(sql`
      update notifications.chat_links set inactive_since = clock_timestamp()
      where org_id = ${org_id} and user_id = ${user_id} and inactive_since is null and linked_at <= ${startedAt}`)
  }
  if (reason === INSTALLATION_BROKEN) {
    await tx.query(sql`
      update notifications.chat_installations set broken_since = clock_timestamp()
      where org_id = ${org_id} and broken_since is null and installed_at <= ${startedAt}`)
  }
}
