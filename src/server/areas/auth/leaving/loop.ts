import type { Db, Tx } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import { createAttempts } from '#lib/work/attempts.ts'
import type { Loop } from '#lib/work/loop.ts'
import { audit } from '#ports/audit.ts'
import type { Eraser, LeavingPerson } from '#ports/eraser.ts'
import type { SystemMails } from '#ports/system-mail.ts'
import { findOrg } from '../store/orgs.ts'
import { orgDeletionMail, personDeletionMail } from './deletion-mail.ts'
import {
  DELETIONS_CHANNEL,
  type DeletionRow,
  findDue,
  findUntold,
  markBegun,
  markEnded,
  markTold,
  nextDue,
} from './store.ts'
import {
  deleteOrgRow,
  deletePersonRow,
  endAccess,
  endAccessOfPerson,
  findPerson,
  listOwners,
  lockSoleOwnerships,
} from './subject-store.ts'

type Deps = {
  readonly db: Db
  readonly log: Log
  /** One for each area that stores rows of organizations or people. */
  readonly erasers: readonly Eraser[]
  readonly mails: Pick<SystemMails, 'queue'>
  readonly baseUrl: () => string
}

/** Work that was under way when the access ended is over by then, so that nothing is written after the erasing. */
const END_OF_WORK_MS = 60 * 60_000
const AGAIN_MS = 60_000
const IDLE_MS = 60 * 60_000

/** Mails the people whom a deletion concerns, and deletes what is due. */
export function deletionLoop(deps: Deps): Loop {
  const attemptToTell = createAttempts('mailing about deletion', (error) =>
    deps.log.error({ error }, 'the people whom a deletion concerns could not be mailed'),
  )
  return {
    name: 'deletions',
    leader: true,
    wakeOn: DELETIONS_CHANNEL,
    async tick(now, signal) {
      for (const deletion of await findUntold(deps.db))
        await attemptToTell(deletion.id, now, () => tell(deps, deletion, now))
      let isWaiting = false
      for (const deletion of await findDue(deps.db, now)) {
        if (signal.aborted) break
        const waitsFor = await advance(deps, deletion, now, signal).catch((error: unknown) => {
          deps.log.error({ error, deletion: deletion.id }, 'a deletion failed; it is tried again')
          return 'a fault'
        })
        isWaiting ||= waitsFor !== undefined
      }
      const next = Math.min(
        now.getTime() + (isWaiting ? AGAIN_MS : IDLE_MS),
        (await nextDue(deps.db, now))?.getTime() ?? Number.POSITIVE_INFINITY,
      )
      return new Date(next)
    },
  }
}

async function tell({ db, mails, baseUrl }: Deps, deletion: DeletionRow, now: Date): Promise<void> {
  // One transaction for each mail: a transaction with several would have to lock their destinations in order.
  if (deletion.kind === 'organization') {
    const org = await findOrg(db, deletion.id)
    for (const owner of org ? await listOwners(db, org.id) : []) {
      const mail = orgDeletionMail(deletion, owner, { name: org!.name, baseUrl: baseUrl() })
      await db.tx((tx) => mails.queue(tx, mail))
    }
  } else {
    const person = await findPerson(db, { id: deletion.id })
    if (person) {
      const mail = personDeletionMail(deletion, { user_id: person.id, email: person.email }, baseUrl())
      await db.tx((tx) => mails.queue(tx, mail))
    }
  }
  await markTold(db, deletion.id, now)
}

/** Takes a deletion as far as it goes now. Returns what it waits for, undefined when it is over or was undone. */
async function advance(deps: Deps, deletion: DeletionRow, now: Date, signal: AbortSignal): Promise<string | undefined> {
  const waitsFor =
    deletion.kind === 'organization'
      ? await deleteOrganization(deps, deletion, now, signal)
      : await deletePerson(deps, deletion, now, signal)
  if (waitsFor !== undefined) deps.log.info({ deletion: deletion.id, waitsFor }, 'a deletion waits')
  return waitsFor
}

/** Ends every access in the transaction from which on nobody can undo the deletion. Returns false if it was undone. */
async function begin(tx: Tx, { id, kind }: DeletionRow, now: Date): Promise<boolean> {
  if (!(await markBegun(tx, id, now))) return false
  await (kind === 'organization' ? endAccess(tx, id) : endAccessOfPerson(tx, id))
  return true
}

async function deleteOrganization({ db, erasers }: Deps, deletion: DeletionRow, now: Date, signal: AbortSignal) {
  const { id } = deletion
  if (!(await db.tx((tx) => begin(tx, deletion, now)))) return undefined
  for (const eraser of erasers) await eraser.closeOrganization?.(id, signal)
  const begunAt = deletion.begun_at ?? now
  if (now.getTime() - begunAt.getTime() < END_OF_WORK_MS) return 'the end of work that was under way'
  for (const eraser of erasers) {
    const waitsFor = await eraser.eraseOrganization?.(id, signal)
    if (waitsFor !== undefined) return waitsFor
  }
  await db.tx(async (tx) => {
    await deleteOrgRow(tx, id)
    await finish(tx, deletion, now)
  })
  return undefined
}

async function deletePerson({ db, erasers }: Deps, deletion: DeletionRow, now: Date, signal: AbortSignal) {
  const person = await findPerson(db, { id: deletion.id })
  const ownedAlone = await db.tx((tx) => lockSoleOwnerships(tx, deletion.id))
  if (ownedAlone.length > 0) return `another owner of ${ownedAlone.join(', ')}`
  if (!(await db.tx((tx) => begin(tx, deletion, now)))) return undefined
  if (person) {
    const waitsFor = await erasePerson(erasers, person, signal)
    if (waitsFor !== undefined) return waitsFor
  }
  await db.tx(async (tx) => {
    if (person) await deletePersonRow(tx, person)
    await finish(tx, deletion, now)
  })
  return undefined
}

async function erasePerson(erasers: readonly Eraser[], person: LeavingPerson, signal: AbortSignal) {
  for (const eraser of erasers) {
    const waitsFor = await eraser.erasePerson?.(person, signal)
    if (waitsFor !== undefined) return waitsFor
  }
  return undefined
}

/** The entry names no organization, because those of one that is gone have nobody to read them. */
async function finish(tx: Tx, { id, kind, requested_by }: DeletionRow, now: Date) {
  await markEnded(tx, id, now)
  const action = kind === 'organization' ? 'org.deleted' : 'person.deleted'
  await audit(tx, { org_id: null, actor: requested_by, action, target: id, at: now })
}
