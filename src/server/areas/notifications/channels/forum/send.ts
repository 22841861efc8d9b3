import { toThin } from '#contract/notifications/thin.ts'
import { DESTINATION_GONE, SEND_TIMEOUT_MS, type Send } from '../../deliver/send.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import type { Outcome } from '../../model/outcome.ts'
import { classifyAccount, classifyTopicPost, classifyTopicSearch, type PostVerdict } from './classify.ts'
import { createTopic, type ForumAccess, findAccount, findTopic } from './discourse.ts'
import { openForum, readTopicIdentity } from './store.ts'
import { actingUser, externalIdOf, renderTopic } from './topic.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'forumFetch' | 'clock' | 'baseUrl'>

/** Posts a topic as the user who caused the event. Without such a user or an account of theirs nothing is posted. */
export function forumSender({ db, sealer, forumFetch, clock, baseUrl }: Deps): Send {
  return async ({ delivery, notifications, isDigest }, signal) => {
    const forum = delivery.channel_id === null ? undefined : await openForum(db, sealer, delivery.channel_id)
    if (forum === undefined) return DESTINATION_GONE
    const userId = actingUser(notifications)
    if (userId === null) return { outcome: { type: 'failed', reason: 'no_acting_user', isOurFault: true } }
    const externalId = externalIdOf(await readTopicIdentity(db, delivery))
    const rendered = renderTopic(
      notifications.map((one) => toThin(one, baseUrl())),
      { externalId, isDigest },
    )
    const access = { safeFetch: forumFetch, url: forum.url, apiKey: forum.apiKey }
    const topic = { ...rendered, category: forum.category, external_id: externalId }
    const posted = await createTopic(access, userId, topic, { signal, timeoutMs: SEND_TIMEOUT_MS })
    const outcome = await settle(access, classifyTopicPost(posted, clock.now()), { externalId, userId })
    return { outcome, status: posted.status }
  }
}

async function settle(
  access: ForumAccess,
  verdict: PostVerdict,
  { externalId, userId }: { externalId: string; userId: string },
): Promise<Outcome> {
  switch (verdict.type) {
    case 'ask_for_account':
      return classifyAccount(await findAccount(access, userId))
    case 'ask_for_topic': {
      const found = classifyTopicSearch(await findTopic(access, externalId), externalId)
      if (found === 'present') return { type: 'sent' }
      return found === 'absent' ? verdict.ifAbsent : verdict.ifUnclear
    }
    default:
      return verdict
  }
}
