import type { Db } from '#lib/db/db.ts'
import { createAttempts } from '#lib/work/attempts.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { People, Person } from '#ports/people.ts'
import type { SystemMails } from '#ports/system-mail.ts'
import { UNFINISHED_CHANNEL } from '../model/store.ts'
import { moveMail } from './notice-mail.ts'
import { deleteNotice, deleteOldNotices, type MoveNotice, readNotices } from './notice-store.ts'

type Deps = {
  readonly db: Db
  readonly people: Pick<People, 'member' | 'ownersAndAdmins' | 'organization'>
  readonly mails: Pick<SystemMails, 'queue'>
  readonly baseUrl: () => string
  readonly onError: (error: unknown) => void
}

/** While nobody can say who the people are. */
const RETRY_SECONDS = 60
/** A move that is finished wakes the loop. */
const IDLE_SECONDS = 10 * 60
const NOTICES_PER_PAGE = 50
/** A notice that could not be sent for so long, because nobody could say who the people are, is given up. */
const KEPT_MS = 7 * 24 * 60 * 60_000

/**
 * Mails the creator of each moved database that its address changed, or the owners and admins of the organization if the
 * creator is no member any more.
 */
export function moveNoticeLoop(deps: Deps): Loop {
  const attempt = createAttempts('mailing about move', deps.onError)
  return {
    name: 'databases-move-notices',
    leader: true,
    wakeOn: UNFINISHED_CHANNEL,
    tick: async (now, signal) => {
      await deleteOldNotices(deps.db, new Date(now.getTime() - KEPT_MS))
      let after = ''
      let seconds = IDLE_SECONDS
      for (;;) {
        const page = await readNotices(deps.db, { after, limit: NOTICES_PER_PAGE })
        if (page.length > 0) seconds = RETRY_SECONDS
        for (const notice of page) {
          if (!signal.aborted) await attempt(notice.id, now, () => mailNotice(deps, notice))
        }
        if (page.length < NOTICES_PER_PAGE || signal.aborted) break
        after = page.at(-1)!.id
      }
      return new Date(now.getTime() + seconds * 1000)
    },
  }
}

/** While nobody can say who the people are, the notice stays and the next tick tries again. */
async function mailNotice({ db, people, mails, baseUrl }: Deps, notice: MoveNotice): Promise<void> {
  const receivers = await receiversOf(people, notice)
  if (!receivers) return
  const organization = await people.organization(notice.org_id)
  const orgName = organization.isKnown ? organization.value.name : null
  // One transaction for each mail: a transaction with several would have to lock their destinations in order.
  for (const person of receivers)
    await db.tx((tx) => mails.queue(tx, moveMail(notice, person, { orgName, baseUrl: baseUrl() })))
  await deleteNotice(db, notice)
}

/** Returns undefined while that is not known. */
async function receiversOf(people: Deps['people'], notice: MoveNotice): Promise<readonly Person[] | undefined> {
  const creator = await people.member(notice.org_id, notice.created_by)
  if (!creator.isKnown) return undefined
  if (creator.value) return [creator.value]
  const admins = await people.ownersAndAdmins(notice.org_id)
  return admins.isKnown ? admins.value : undefined
}
