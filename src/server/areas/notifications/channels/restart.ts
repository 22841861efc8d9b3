import type { ChannelKind } from '#contract/notifications/channels.ts'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { rescheduleDestinations } from '../queue/reschedule.ts'

/**
 * Saves where a channel leads and lets it begin anew: what the circuit breaker learnt, and the answer that disabled the
 * channel, were about the former address. Subscriptions that an admin disabled stay disabled. `secret` is sealed.
 */
export async function restartChannel(
  tx: Tx,
  { id, kind, secret }: { id: string; kind: ChannelKind; secret: string },
): Promise<void> {
  const key = `${kind}:${id}`
  // Destinations are locked before channels everywhere, so that two transactions cannot wait for each other.
  await tx.query(sql`
    update notifications.destinations set failures = 0, paused_until = null where key = ${key}`)
  await tx.query(sql`
    update notifications.channels
    set secret = ${secret}, state = 'active', disabled_reason = null, failing_since = null, failures = 0,
        failure_mailed_at = null,
        settings = settings || jsonb_build_object('url_saved_at', clock_timestamp())
    where id = ${id}`)
  await tx.query(sql`
    update notifications.subscriptions set enabled = true, disabled_by = null
    where channel_id = ${id} and disabled_by = 'gone'`)
  await rescheduleDestinations(tx, [key])
}
