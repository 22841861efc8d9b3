import type { Clock } from '#lib/clock.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import { toThin } from '../../deliver/load.ts'
import { SEND_TIMEOUT_MS, type Send } from '../../deliver/send.ts'
import type { Outcome } from '../../model/outcome.ts'
import { classifyAccount, classifyTopicPost, classifyTopicSearch, type PostVerdict } from './classify.ts'
import { createTopic, type ForumAccess, findAccount, findTopic } from './discourse.ts'
import type { OpenForum } from './store.ts'
import { actingUser, externalIdOf, renderTopic, type TopicIdentity } from './topic.ts'

type Deps = {
  forumFetch: SafeFetch
  clock: Clock
  /** Address of the console, which links begin with. */
  baseUrl: () => string
  /** Undefined when the forum is gone, disabled or not configured. */
  openForum: (channelId: string) => Promise<OpenForum | undefined>
  topicIdentity: (deliveryId: string) => Promise<TopicIdentity>
}

/** Posts a topic as the user who caused the event. Without such a user or an account of theirs nothing is posted. */
export function forumSender({ forumFetch, clock, baseUrl, openForum, topicIdentity }: Deps): Send {
  return async ({ delivery, notifications, isDigest }, signal) => {
    const forum = delivery.channel_id === null ? undefined : await openForum(delivery.channel_id)
    if (forum === undefined) return { outcome: { type: 'dropped', reason: 'destination_gone' } }
    const userId = actingUser(notifications)
    if (userId === null) return { outcome: { type: 'failed', reason: 'no_acting_user', isOurFault: true } }
    const externalId = externalIdOf(await topicIdentity(delivery.resend_of ?? delivery.id))
    const rendered = renderTopic(
      notifications.map((one) => toThin(one, baseUrl())),
      { externalId, isDigest },
    )
    const access = { safeFetch: forumFetch, url: forum.url, apiKey: forum.apiKey }
    const topic = { ...rendered, category: forum.category, external_id: externalId }
    const posted = await createTopic(access, userId, topic, { signal, timeoutMs: SEND_TIMEOUT_MS })
    const outcome = await settle(access, classifyTopicPost(posted, clock.now()), { externalId, userId })
    return posted.status === undefined ? { outcome } : { outcome, status: posted.status }
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
