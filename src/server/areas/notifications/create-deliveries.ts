import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { gather } from '#lib/gather.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { People } from '#ports/people.ts'
import { findDirectTarget } from './channels/chat/link-store.ts'
import { chatChannelSender } from './channels/chat/send-to-channel.ts'
import { chatPersonSender } from './channels/chat/send-to-person.ts'
import { keepMail } from './channels/email/mailbox-store.ts'
import { emailSender, type MailSettings } from './channels/email/send.ts'
import { forumSender } from './channels/forum/send.ts'
import { settleLoop } from './channels/forum/settle.ts'
import { openForum, readTopicIdentity } from './channels/forum/store.ts'
import { findRecipient, openSecrets } from './channels/store.ts'
import { webhookSender } from './channels/webhook/send.ts'
import { createCheck } from './deliver/check.ts'
import type { ClaimedDelivery } from './deliver/claim.ts'
import { type DeliveryTiming, deliveryJobs } from './deliver/job.ts'
import { reapLoop } from './deliver/reap.ts'
import type { Senders } from './deliver/send.ts'
import { digestLoop } from './digest/close.ts'
import { healthLoop } from './health/loop.ts'
import { intakeLoop } from './intake/intake.ts'
import { matchLoop } from './match/match-loop.ts'
import { peopleLoop } from './match/people-loop.ts'
import type { UnreadableEvent } from './match/unreadable.ts'
import { type KeepDays, retentionLoop } from './retention/loop.ts'
import { openUnsubscribeToken } from './subscriptions/store.ts'
import { createSystemMails } from './system-mail/queue.ts'

export type DeliveryDeps = {
  db: Db
  sealer: Sealer
  people: People
  safeFetch: SafeFetch
  /** Reaches also the networks that the operator allows for forums. Without it forums are reached by `safeFetch`. */
  forumFetch?: SafeFetch
  clock: Clock
  /** `mailbox` keeps mails on this machine. Undefined when the operator has configured no mail server. */
  mail?: MailSettings | 'mailbox' | undefined
  /** Address of the console, which links begin with. */
  baseUrl: () => string
  onError: (error: unknown) => void
  /** Called once for each event that only a newer release can read. */
  onUnreadable?: (events: readonly UnreadableEvent[]) => void
  keepDays?: KeepDays
  /** Other limits than the usual ones, for tests of workers that die or stop. */
  timing?: DeliveryTiming
}

/** First attempts have most slots: retries wait by themselves, new notifications must not. */
export const SLOTS = { first: 256, retry: 32 }

/** What a worker runs: everything from the outbox to the last attempt. */
export function createDeliveries(deps: DeliveryDeps): { loops: Loop[]; slots: JobKind<ClaimedDelivery>[] } {
  return {
    loops: [
      intakeLoop(deps),
      matchLoop(deps),
      peopleLoop(deps),
      digestLoop(deps),
      reapLoop(deps),
      healthLoop({ ...deps, mails: createSystemMails(deps) }),
      retentionLoop(deps),
      settleLoop({ ...deps, ...forumAccess(deps) }),
    ],
    slots: deliveryJobs({ ...deps, check: createCheck(deps), senders: createSenders(deps) }, SLOTS),
  }
}

function createSenders(deps: DeliveryDeps): Senders {
  const openUrl = gather((ids: readonly string[]) => openSecrets(deps.db, deps.sealer, ids), { joinsTurn: true })
  const webhook = webhookSender({ ...deps, openUrl })
  const chat = chatChannelSender({ ...deps, openUrl })
  const chatDm = chatPersonSender({
    ...deps,
    findTarget: (orgId, userId) => findDirectTarget(deps.db, deps.sealer, { orgId, userId }),
  })
  const email = emailSender({
    ...deps,
    keepMail: (mail) => keepMail(deps.db, deps.sealer, mail),
    channelRecipient: (id) => findRecipient(deps.db, id),
    unsubscribeToken: (id) => openUnsubscribeToken(deps.db, deps.sealer, id),
  })
  const forum = forumSender({ ...deps, ...forumAccess(deps) })
  return { webhook, email, chat, chat_dm: chatDm, forum }
}

function forumAccess({ db, sealer, safeFetch, forumFetch = safeFetch }: DeliveryDeps) {
  return {
    forumFetch,
    openForum: (id: string) => openForum(db, sealer, id),
    topicIdentity: (deliveryId: string) => readTopicIdentity(db, deliveryId),
  }
}
