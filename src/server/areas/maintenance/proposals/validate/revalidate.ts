import type { Db, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Clock } from '#lib/time/clock.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { Claim, JobKind } from '#lib/work/job-kind.ts'
import { type JobTable, newGrant, releaseClaims, renewClaims } from '#lib/work/job-table.ts'
import type { AppDirectory } from '#ports/apps.ts'
import { VALIDATE_CHANNEL } from '../../claims/channels.ts'
import { listEdits } from '../../edits/store.ts'
import { readApp, readOrg } from '../../settings/store.ts'
import { emitCreated } from '../open.ts'
import { type ChangeDeps, resultColumns, type ValidatedChange, validateChange } from './validate-change.ts'

type RevalidateDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find'>
  readonly changes: ChangeDeps
  readonly onError: (error: unknown, proposalId: string) => void
}

const SLOTS = 2
const LEASE_SECONDS = 30
const DRAIN_SECONDS = 10
/** While a proposal is being validated: nothing announces that its worker died. */
const OPEN_POLL_SECONDS = 15

export const VALIDATION_JOBS: JobTable = {
  table: sql`maintenance.proposals`,
  isClaimed: sql`status = 'validating'`,
  undoClaim: sql`status = 'validating'`,
}

type Job = Claim & {
  org_id: string
  app_id: string
  run_id: string
  summary: string
  ready_at: Date | null
  test: string | null
}

/** Validates proposals again that somebody asked for. A proposal whose worker died is claimed by another one. */
export function revalidateJobs(deps: RevalidateDeps): JobKind<Job> {
  const { db } = deps
  const working = new Map<string, AbortController>()
  return {
    name: 'maintenance-validate',
    slots: SLOTS,
    leaseSeconds: LEASE_SECONDS,
    wakeOn: VALIDATE_CHANNEL,
    onNotify: (proposalId) => {
      working.get(proposalId)?.abort(new Error('the validation was taken away'))
      return false
    },
    pollSeconds: IDLE_POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    claim: async (limit) => {
      if (!(await isAnyOpen(db))) return { jobs: [] }
      return { jobs: await claim(db, limit), nextInSeconds: OPEN_POLL_SECONDS }
    },
    run: async (job, held) => {
      const revoked = new AbortController()
      working.set(job.id, revoked)
      try {
        await validateAgain(deps, job, AbortSignal.any([held.signal, revoked.signal]))
      } finally {
        if (working.get(job.id) === revoked) working.delete(job.id)
      }
    },
    renew: (jobs) => renewClaims(db, VALIDATION_JOBS, jobs, LEASE_SECONDS),
    release: (jobs) => releaseClaims(db, VALIDATION_JOBS, jobs),
  }
}

async function validateAgain(deps: RevalidateDeps, job: Job, signal: AbortSignal): Promise<void> {
  const { db, clock, apps, changes } = deps
  const app = await apps.find(job.org_id, job.app_id)
  if (!app) return
  const live = await changes.source.live(job.org_id, job.app_id)
  const change = live && (await resultOf(deps, job, live.revisionId, signal))
  if (live && !change) return
  await db.tx(async (tx) => {
    if (!(await holds(tx, job))) return
    const at = clock.now()
    await save(tx, job.id, {
      change: change ?? { invalid: 'The app has no live revision.' },
      base: live?.revisionId,
      at,
    })
    const isFirst = change !== undefined && !('invalid' in change) && job.ready_at === null
    if (isFirst) await emitCreated(tx, { orgId: job.org_id, app, proposalId: job.id, at })
  })
}

/** Returns undefined if the claim is lost. A fault of ours is shown as a reason too, so that a person can try again. */
async function resultOf(
  { db, changes, onError }: RevalidateDeps,
  job: Job,
  revisionId: string,
  signal: AbortSignal,
): Promise<ValidatedChange | undefined> {
  const edits = await listEdits(db, job.run_id)
  const revision = { orgId: job.org_id, appId: job.app_id, revisionId }
  try {
    const trials = (await isSwitchedOn(db, job)) ? changes.trials : AGENT_OFF
    const hold = (tx: Tx) => holds(tx, job)
    return await validateChange(
      { ...changes, trials },
      { ...revision, edits, summary: job.summary, test: job.test, hold, signal },
    )
  } catch (error) {
    onError(error, job.id)
    return { invalid: 'svc could not validate the change. Try again later.' }
  }
}

const AGENT_OFF = { off: 'the maintenance agent is off for this app' }

async function isSwitchedOn(db: Db, { org_id, app_id }: Job): Promise<boolean> {
  return (await readOrg(db, org_id)).enabled && (await readApp(db, app_id)).enabled
}

type Saved = { readonly change: ValidatedChange; readonly base: string | undefined; readonly at: Date }

async function save(tx: Tx, id: string, { change, base, at }: Saved): Promise<void> {
  const { status, revision_id, validation, validation_notes, invalid_reason, proof } = resultColumns(change)
  await tx.query(sql`
    update maintenance.proposals
    set status = ${status}, base_revision_id = coalesce(${base ?? null}, base_revision_id),
      revision_id = ${revision_id}, validation = ${validation}, validation_notes = ${validation_notes}::text[],
      invalid_reason = ${invalid_reason}, proof = ${proof && JSON.stringify(proof)}::jsonb, lease_until = null,
      ready_at = case when ${status} = 'ready' then ${at}::timestamptz else ready_at end
    where id = ${id}`)
}

async function isAnyOpen(db: Db): Promise<boolean> {
  const rows = await db.query(sql`select from maintenance.proposals where status = 'validating' limit 1`)
  return rows.length > 0
}

async function claim(db: Db, limit: number): Promise<Job[]> {
  return db.query<Job>(sql`
    update maintenance.proposals set ${newGrant(LEASE_SECONDS)}
    where id in (
      select id from maintenance.proposals
      where status = 'validating' and (lease_until is null or lease_until <= clock_timestamp())
      order by id limit ${limit} for update skip locked)
    returning id, fence, org_id, app_id, run_id, summary, ready_at, proof->>'test' as test`)
}

/** Whether the claim stands, and holds off whoever would take it until the transaction ends. */
async function holds(tx: Tx, { id, fence }: Claim): Promise<boolean> {
  const rows = await tx.query(sql`
    select from maintenance.proposals
    where id = ${id} and fence = ${fence} and status = 'validating' and lease_until > clock_timestamp()
    for no key update`)
  return rows.length > 0
}
