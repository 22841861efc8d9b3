import { EVENTS, eventLink, eventSubject } from '#contract/core/events.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Tx } from '#lib/db/db.ts'
import { createAttempts } from '#lib/work/attempts.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { People, PeopleAnswer, Person } from '#ports/people.ts'
import { seedPersonalMail } from '../defaults/seed.ts'
import { addToInbox } from '../inbox/store.ts'
import type { MatchedEvent } from '../model/notification.ts'
import { maySeeApp } from '../people/may-see-app.ts'
import { timezoneOf } from '../settings/store.ts'
import { addNotifications } from '../store/enqueue.ts'
import { PEOPLE_NOTIFY } from '../store/events.ts'
import { mailedAbout } from './mailed-about.ts'
import { type FollowFacts, matchPeople, type PersonalMail, recordOnly } from './match.ts'
import {
  hasNotifications,
  markPeopleMatched,
  readFollows,
  readPeoplePending,
  readPersonalSubscriptions,
} from './people-store.ts'

type Deps = { db: Db; sealer: Sealer; people: People; onError: (error: unknown) => void }

const EVENTS_PER_PAGE = 100
/** While an event waits for an auth service that does not answer. */
const RETRY_SECONDS = 10
/** How long an event waits for an auth service that does not answer before its people are recorded as unknown. */
const MAX_WAIT_MS = 60 * 60_000

/**
 * Matches events to people. It is apart from the matching of subscriptions because people may be known only to another
 * service: while that does not answer, channels of the organization still get their notifications.
 */
export function peopleLoop(deps: Deps): Loop {
  const attempt = createAttempts('matching people to event', deps.onError)
  return {
    name: 'notifications-people',
    wakeOn: PEOPLE_NOTIFY,
    tick: async (now, signal) => {
      let after = ''
      let seconds = IDLE_POLL_SECONDS
      for (;;) {
        const page = await readPeoplePending(deps.db, { after, limit: EVENTS_PER_PAGE })
        if (page.length > 0) seconds = RETRY_SECONDS
        for (const { event, received_at } of page) {
          if (signal.aborted) break
          const isLate = now.getTime() - received_at.getTime() > MAX_WAIT_MS
          if (event) await attempt(event.id, now, () => matchToPeople(deps, event, { now, isLate }))
        }
        if (page.length < EVENTS_PER_PAGE || signal.aborted) break
        after = page.at(-1)!.id
      }
      return new Date(now.getTime() + seconds * 1000)
    },
  }
}

type Turn = { now: Date; isLate: boolean }

async function matchToPeople({ db, sealer, people }: Deps, event: MatchedEvent, { now, isLate }: Turn): Promise<void> {
  const [mailed, following] = await Promise.all([mailedPeople(people, event), followers(db, people, event)])
  const isUnknown = !mailed.isKnown || !following.isKnown
  if (!isLate && [mailed, following].some((answer) => !answer.isKnown && answer.isTemporary)) return
  await db.tx(async (tx) => {
    if (!(await markPeopleMatched(tx, event.id))) return
    const mails = await personalMails(tx, sealer, event, mailed.isKnown ? mailed.value : [])
    const follows = following.isKnown ? following.value : []
    const when = { timezone: await timezoneOf(tx, event.org_id), now }
    const matched = matchPeople(event, { mails, follows }, when)
    if (isUnknown) matched.push(recordOnly(event, 'people_unknown'))
    else if (matched.length === 0 && !(await hasNotifications(tx, event.id)))
      matched.push(recordOnly(event, 'no_subscription'))
    await addNotifications(tx, matched)
    const informed = [...mails, ...follows.filter(({ hasLostPart }) => !hasLostPart)]
    const userIds = informed.map(({ user_id }) => user_id)
    await addToInbox(tx, inboxEntryOf(event), userIds)
  })
}

/** The link is a path: the address of the console is added when the entry is read. */
function inboxEntryOf(event: MatchedEvent) {
  return {
    event_id: event.id,
    event_type: event.type,
    org_id: event.org_id,
    occurred_at: event.occurred_at,
    subject: eventSubject(event),
    app: 'app' in event.body ? event.body.app.alias : null,
    link: eventLink(event),
  }
}

async function mailedPeople(people: People, event: MatchedEvent): Promise<PeopleAnswer<readonly Person[]>> {
  const mailed = mailedAbout(event)
  if (mailed === undefined) return { isKnown: true, value: [] }
  if (mailed === 'owners_and_admins') return people.ownersAndAdmins(event.org_id)
  const reporter = await people.member(event.org_id, mailed.reporterId)
  return reporter.isKnown ? { isKnown: true, value: reporter.value ? [reporter.value] : [] } : reporter
}

/** People who follow the event's category in its app, with whether they may still see the app. */
async function followers(db: Db, people: People, event: MatchedEvent): Promise<PeopleAnswer<FollowFacts[]>> {
  const { category } = EVENTS[event.type]
  if (category === null || !('app' in event.body)) return { isKnown: true, value: [] }
  const appId = event.body.app.id
  const follows = await readFollows(db, { org_id: event.org_id, appId, category })
  const found: FollowFacts[] = []
  for (const follow of follows) {
    const answer = await maySeeApp(people, { orgId: event.org_id, appId, userId: follow.user_id })
    if (!answer.isKnown) return answer
    const address = follow.via === 'mail' ? await addressOf(people, event.org_id, follow.user_id) : undefined
    if (address && !address.isKnown) return address
    found.push({ ...follow, address: address?.value, hasLostPart: !answer.value })
  }
  return { isKnown: true, value: found }
}

/** The address is looked up again at each attempt. Here it says which mailbox gets one mail about the event. */
async function addressOf(people: People, orgId: string, userId: string): Promise<PeopleAnswer<string>> {
  const member = await people.member(orgId, userId)
  return member.isKnown ? { isKnown: true, value: member.value?.email ?? `user:${userId}` } : member
}

/** The enabled mails of these people, made on their first event. */
async function personalMails(
  tx: Tx,
  sealer: Sealer,
  event: MatchedEvent,
  mailed: readonly Person[],
): Promise<PersonalMail[]> {
  if (mailed.length === 0) return []
  const owner = event.type === 'support.ticket.replied' ? 'reporter' : 'support_access'
  for (const { user_id } of mailed) await seedPersonalMail(tx, sealer, { org_id: event.org_id, user_id, owner })
  const userIds = mailed.map(({ user_id }) => user_id)
  const enabled = await readPersonalSubscriptions(tx, { orgId: event.org_id, owner, userIds })
  return enabled.map(({ id, user_id }) => {
    const { email } = mailed.find((person) => person.user_id === user_id)!
    return { subscription_id: id, user_id, address: email }
  })
}
