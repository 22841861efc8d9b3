import { createAttempts } from '#lib/work/attempts.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { Person } from '#ports/people.ts'
import type { NotificationDeps } from '../model/deps.ts'
import { mailKey } from '../model/destination-key.ts'
import { healthMail } from './mail.ts'
import { type FailingChannel, markMailed, readFailing } from './store.ts'

type Deps = Pick<NotificationDeps, 'db' | 'people' | 'mails' | 'baseUrl'> & { onError: (error: unknown) => void }

const POLL_SECONDS = 5 * 60
const CHANNELS_PER_PAGE = 50
const FAILING_MS = 24 * 60 * 60_000
const FAILURES_IN_A_ROW = 10

/** Mails owners and admins once when a channel keeps failing, and again only after messages arrived in between. */
export function healthLoop(deps: Deps): Loop {
  const attempt = createAttempts('mailing about channel', deps.onError)
  return {
    name: 'notifications-health',
    leader: true,
    tick: async (now, signal) => {
      const limits = { since: new Date(now.getTime() - FAILING_MS), failures: FAILURES_IN_A_ROW }
      let after = ''
      for (;;) {
        const page = await readFailing(deps.db, limits, { after, limit: CHANNELS_PER_PAGE })
        for (const channel of page) {
          if (!signal.aborted) await attempt(channel.id, now, () => mailAdmins(deps, channel))
        }
        if (page.length < CHANNELS_PER_PAGE || signal.aborted) break
        after = page.at(-1)!.id
      }
      return new Date(now.getTime() + POLL_SECONDS * 1000)
    },
  }
}

/** While nobody can say who the admins are, the channel stays unmailed and the next tick tries again. */
async function mailAdmins({ db, people, mails, baseUrl }: Deps, channel: FailingChannel): Promise<void> {
  const [admins, organization] = await Promise.all([
    people.ownersAndAdmins(channel.org_id),
    people.organization(channel.org_id),
  ])
  if (!admins.isKnown) return
  const orgName = organization.isKnown ? organization.value.name : null
  await db.tx(async (tx) => {
    for (const person of reachable(channel, admins.value))
      await mails.queue(tx, healthMail(channel, { person, orgName, baseUrl: baseUrl() }))
    await markMailed(tx, channel)
  })
}

/**
 * Nobody is mailed at the address that fails. In the order of the destinations, because mails to several of them are
 * queued in one transaction, and every transaction locks destinations in this order.
 */
function reachable(channel: FailingChannel, admins: readonly Person[]): Person[] {
  const keyOf = (address: string) => mailKey(channel, address)
  const failingKey = channel.kind === 'email' ? keyOf(channel.address ?? '') : null
  return admins
    .filter(({ email }) => keyOf(email) !== failingKey)
    .sort((a, b) => (keyOf(a.email) < keyOf(b.email) ? -1 : 1))
}
