import { createAttempts } from '#lib/work/attempts.ts'
import type { Loop } from '#lib/work/loop.ts'
import { finishDeliveries } from '../../deliver/finish.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { classifyTopicSearch } from './classify.ts'
import { findTopic } from './discourse.ts'
import { type OpenForum, openForum, readTopicIdentity, readUnsettled, type Unsettled } from './store.ts'
import { externalIdOf } from './topic.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'forumFetch'> & { onError: (error: unknown) => void }

const POLL_SECONDS = 60
const DELIVERIES_PER_TICK = 100

/**
 * Finds out what became of topics whose outcome is unknown, because their worker died or the forum did not answer. A
 * topic that exists was posted; one that does not is posted again, which its external id makes safe. The result is
 * written like a late result of the same attempt. After a day the outcome stays unknown.
 */
export function settleLoop(deps: Deps): Loop {
  const attempt = createAttempts('finding out about topics of channel', deps.onError)
  return {
    name: 'notifications-forum',
    tick: async (now, signal) => {
      const byChannel = Map.groupBy(await readUnsettled(deps.db, DELIVERIES_PER_TICK), ({ channel_id }) => channel_id)
      for (const [channelId, deliveries] of byChannel) {
        if (channelId === null) continue
        await attempt(channelId, now, async () => {
          const forum = await openForum(deps.db, deps.sealer, channelId)
          if (forum) await settleAll(deps, forum, deliveries, signal)
        })
      }
      return new Date(now.getTime() + POLL_SECONDS * 1000)
    },
  }
}

/** Stops at the first question without an answer, so that a forum that is down is asked once in each round. */
async function settleAll(
  { db, forumFetch }: Deps,
  { url, apiKey }: OpenForum,
  deliveries: readonly Unsettled[],
  signal: AbortSignal,
): Promise<void> {
  for (const delivery of deliveries) {
    if (signal.aborted) return
    const externalId = externalIdOf(await readTopicIdentity(db, delivery))
    const found = classifyTopicSearch(await findTopic({ safeFetch: forumFetch, url, apiKey }, externalId), externalId)
    if (found === 'unclear') return
    const outcome =
      found === 'present'
        ? ({ type: 'sent' } as const)
        : ({ type: 'retry', reason: 'not_posted', isOurFault: true } as const)
    await finishDeliveries(db, [{ delivery, outcome }], Math.random)
  }
}
