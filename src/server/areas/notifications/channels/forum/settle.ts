import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { ClaimedDelivery } from '../../deliver/claim.ts'
import { finishDeliveries } from '../../deliver/finish.ts'
import { classifyTopicSearch } from './classify.ts'
import { findTopic } from './discourse.ts'
import type { OpenForum } from './store.ts'
import { externalIdOf, type TopicIdentity } from './topic.ts'

type Deps = {
  db: Db
  forumFetch: SafeFetch
  openForum: (channelId: string) => Promise<OpenForum | undefined>
  topicIdentity: (deliveryId: string) => Promise<TopicIdentity>
}
type Unsettled = Pick<
  ClaimedDelivery,
  'id' | 'org_id' | 'fence' | 'attempt' | 'kind' | 'destination_key' | 'channel_id' | 'user_id' | 'resend_of'
>

const POLL_SECONDS = 60
const DELIVERIES_PER_TICK = 100

/**
 * Finds out what became of topics whose outcome is unknown, because their worker died or the forum did not answer. A
 * topic that exists was posted; one that does not is posted again, which its external id makes safe. The result is
 * written like a late result of the same attempt. After a day the outcome stays unknown.
 */
export function settleLoop(deps: Deps): Loop {
  return {
    name: 'notifications-forum',
    tick: async (now, signal) => {
      const byChannel = Map.groupBy(await readUnsettled(deps.db), ({ channel_id }) => channel_id)
      for (const [channelId, deliveries] of byChannel) {
        const forum = channelId === null ? undefined : await deps.openForum(channelId)
        if (forum) await settleAll(deps, forum, deliveries, signal)
      }
      return new Date(now.getTime() + POLL_SECONDS * 1000)
    },
  }
}

async function readUnsettled(db: Db): Promise<Unsettled[]> {
  return db.query(sql`
    select id, org_id, fence, attempt, kind, destination_key, channel_id, user_id, resend_of
    from notifications.deliveries
    where kind = 'forum' and state = 'unknown' and ended_at > clock_timestamp() - interval '1 day'
    order by ended_at desc limit ${DELIVERIES_PER_TICK}`)
}

/** Stops at the first question without an answer, so that a forum that is down is asked once in each round. */
async function settleAll(
  { db, forumFetch, topicIdentity }: Deps,
  { url, apiKey }: OpenForum,
  deliveries: readonly Unsettled[],
  signal: AbortSignal,
): Promise<void> {
  for (const delivery of deliveries) {
    if (signal.aborted) return
    const externalId = externalIdOf(await topicIdentity(delivery.resend_of ?? delivery.id))
    const found = classifyTopicSearch(await findTopic({ safeFetch: forumFetch, url, apiKey }, externalId), externalId)
    if (found === 'unclear') return
    const outcome =
      found === 'present'
        ? ({ type: 'sent' } as const)
        : ({ type: 'retry', reason: 'not_posted', isOurFault: true } as const)
    await finishDeliveries(db, [{ delivery, outcome }], Math.random)
  }
}
