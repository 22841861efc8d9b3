import { gather } from '#lib/work/gather.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import { chatChannelSender } from './channels/chat/send-to-channel.ts'
import { chatPersonSender } from './channels/chat/send-to-person.ts'
import { emailSender } from './channels/email/send.ts'
import { forumSender } from './channels/forum/send.ts'
import { settleLoop } from './channels/forum/settle.ts'
import { openSecrets } from './channels/store.ts'
import { webhookSender } from './channels/webhook/send.ts'
import { openWebhooks } from './channels/webhook/store.ts'
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
import type { UnreadableEvent } from './match/unreadable-store.ts'
import type { NotificationDeps } from './model/deps.ts'
import { type KeepDays, retentionLoop } from './retention/loop.ts'
import { createSystemMails } from './system-mail/store.ts'

type UsedDeps = Pick<NotificationDeps, 'db' | 'sealer' | 'people' | 'safeFetch' | 'clock' | 'mail' | 'baseUrl'>

export type DeliveryDeps = UsedDeps & {
  /** Without it forums are reached by `safeFetch`. */
  forumFetch?: NotificationDeps['forumFetch']
  onError: (error: unknown) => void
  /** Called once for each event that only a newer release can read. */
  onUnreadable?: (events: readonly UnreadableEvent[]) => void
  keepDays?: KeepDays
  /** Other limits than the usual ones, for tests of workers that die or stop. */
  timing?: DeliveryTiming
}

/** First attempts have most slots: retries wait by themselves, new notifications must not. */
export const SLOTS = { first: 256, retry: 32 }

/** Creates the loops and slots of a worker: everything from the outbox to the last attempt. */
export function createDeliveries(given: DeliveryDeps): { loops: Loop[]; slots: JobKind<ClaimedDelivery>[] } {
  const deps = { forumFetch: given.safeFetch, ...given }
  return {
    loops: [
      intakeLoop(deps),
      matchLoop(deps),
      peopleLoop(deps),
      digestLoop(deps),
      reapLoop(deps),
      healthLoop({ ...deps, mails: createSystemMails(deps) }),
      retentionLoop(deps),
      settleLoop(deps),
    ],
    slots: deliveryJobs({ ...deps, check: createCheck(deps), senders: createSenders(deps) }, SLOTS),
  }
}

function createSenders(deps: UsedDeps & Pick<NotificationDeps, 'forumFetch'>): Senders {
  const openUrl = gather((ids: readonly string[]) => openSecrets(deps.db, deps.sealer, ids), { joinsTurn: true })
  const openWebhook = gather(
    (ids: readonly string[]) => openWebhooks(deps.db, deps.sealer, { ids, now: deps.clock.now() }),
    { joinsTurn: true },
  )
  return {
    webhook: webhookSender({ ...deps, openWebhook }),
    email: emailSender(deps),
    chat: chatChannelSender({ ...deps, openUrl }),
    chat_dm: chatPersonSender(deps),
    forum: forumSender(deps),
  }
}
