import type { Db } from '#lib/db/db.ts'
import { identifier, type Sql, sql } from '#lib/db/sql.ts'
import type { Schedule } from '#lib/time/cron.ts'
import { backupFault } from '../../areas/backups/index.ts'
import type { OpenDb } from './database-checks.ts'
import { type DoctorCheck, type Finding, type Findings, notSetUp, problem, Skipped, warning } from './report.ts'

/** Workers take events and jobs within seconds. What has waited for so long is not being worked on. */
const STUCK_MINUTES = 5

const NO_BACKUPS = notSetUp(
  'No backups are made on a schedule: SVC_BACKUP_TO is not set.',
  'Set SVC_BACKUP_TO and SVC_BACKUP_PUBLIC_KEYS, or run svc-server backup by hand.',
)

export function workChecks(openDb: OpenDb, backup: { readonly schedule: Schedule } | undefined): DoctorCheck[] {
  const on = (look: (db: Db) => Promise<Findings>) => async () => withSchema(await openDb(), look)
  return [
    { name: 'outbox', look: on(findBacklog) },
    { name: 'jobs', look: on(findStuckJobs) },
    { name: 'destinations', look: on(findFailingDestinations) },
    { name: 'partitions', look: on(findUnpartitionedRows) },
    { name: 'backups', look: backup ? on((db) => findMissingBackup(db, backup.schedule)) : async () => NO_BACKUPS },
  ]
}

/** An older schema can lack tables. The check of migrations reports that. */
async function withSchema(db: Db, look: (db: Db) => Promise<Findings>): Promise<Findings> {
  try {
    return await look(db)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === '42P01' || code === '42703') throw new Skipped('The database lacks migrations.')
    throw error
  }
}

async function findMissingBackup(db: Db, schedule: Schedule): Promise<Findings> {
  const fault = await backupFault(db, schedule, new Date())
  return fault === undefined ? [] : problem(fault, 'Look at the log of the worker, or run svc-server backup by hand.')
}

async function findBacklog(db: Db): Promise<Findings> {
  const [row] = await db.query<{ events: number; minutes: number | null }>(sql`
    select count(*)::int as events, floor(extract(epoch from now() - min(occurred_at)) / 60)::int as minutes
    from svc.outbox`)
  if ((row!.minutes ?? 0) < STUCK_MINUTES) return []
  return problem(
    `${row!.events} events wait to become notifications, the oldest for ${row!.minutes} minutes.`,
    'Check that a process with the service worker runs, and look at its log.',
  )
}

const JOBS: readonly { title: string; table: Sql }[] = [
  { title: 'messages that were being sent', table: sql`notifications.deliveries` },
  { title: 'runs of checks', table: sql`checks.runs` },
  { title: 'maintenance runs', table: sql`maintenance.runs` },
]

/** A worker that lives takes over a job whose lease ran out, so an old lease means that none does. */
async function findStuckJobs(db: Db): Promise<Finding[]> {
  const found = await Promise.all(
    JOBS.map(async ({ title, table }) => {
      const [row] = await db.query<{ jobs: number }>(sql`
        select count(*)::int as jobs from ${table}
        where ended_at is null and lease_until < now() - make_interval(mins => ${STUCK_MINUTES})`)
      return row!.jobs === 0 ? [] : [{ title, jobs: row!.jobs }]
    }),
  )
  return found
    .flat()
    .map(({ title, jobs }) =>
      problem(
        `${jobs} ${title} have lost their worker for more than ${STUCK_MINUTES} minutes, and no other took them over.`,
        'Check that a process with the service worker runs, and look at its log.',
      ),
    )
}

async function findFailingDestinations(db: Db): Promise<Finding[]> {
  const channels = await db.query<{ id: string; org_id: string; kind: string; reason: string | null }>(sql`
    select id, org_id, kind, disabled_reason as reason from notifications.channels
    where failing_since is not null or (state = 'disabled' and disabled_reason is not null)
    order by id limit 20`)
  const [events] = await db.query<{ unreadable: number }>(sql`
    select count(*)::int as unreadable from notifications.events where unreadable_at is not null`)
  const failing = channels.map(({ id, org_id, kind, reason }) =>
    warning(
      `The ${kind} channel ${id} of ${org_id} ${reason === null ? 'fails' : `is switched off: ${reason}`}.`,
      'Its organization must connect it again; the ledger has the reason of each message.',
    ),
  )
  if (events!.unreadable === 0) return failing
  return [
    ...failing,
    warning(`${events!.unreadable} events were written by a newer version.`, 'Upgrade every process that runs worker.'),
  ]
}

const MAX_COUNTED_ROWS = 1_000

/** A worker makes the partitions of coming weeks. Rows in a default partition mean that none did, or a wrong clock. */
async function findUnpartitionedRows(db: Db): Promise<Finding[]> {
  const defaults = await db.query<{ schema: string; name: string; parent: string }>(sql`
    select n.nspname as schema, child.relname as name, inhparent::regclass::text as parent
    from pg_class child join pg_namespace n on n.oid = child.relnamespace join pg_inherits on inhrelid = child.oid
    where pg_get_expr(child.relpartbound, child.oid) = 'DEFAULT' order by parent`)
  const findings: Finding[] = []
  for (const { schema, name, parent } of defaults) {
    const [row] = await db.query<{ rows: number }>(sql`
      select count(*)::int as rows from (select from ${identifier(schema, name)} limit ${MAX_COUNTED_ROWS}) as counted`)
    if (row!.rows === 0) continue
    const count = row!.rows === MAX_COUNTED_ROWS ? `${MAX_COUNTED_ROWS} or more` : row!.rows
    findings.push(
      warning(
        `${parent}: ${count} rows belong to no partition of their time. They can be read, but are removed one by one.`,
        'Check that a process with the service worker runs, and that the clocks of all servers are right.',
      ),
    )
  }
  return findings
}
