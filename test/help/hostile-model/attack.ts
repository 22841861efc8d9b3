import { globSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { sql } from '#lib/db/sql.ts'
import { until } from '#test/until.ts'
import type { System } from '../system.ts'
import { findEffects, WRITTEN_TABLES } from './effects.ts'
import { type HostileServer, startHostileServer } from './hostile-server.ts'
import { plantTarget, secretsOf, type Target } from './plant.ts'
import { createLeakSearch } from './planted-secrets.ts'
import { RequestWatch } from './request-watch.ts'
import { takeSnapshot } from './snapshot.ts'
import type { StolenClaims } from './stolen-claims.ts'

type AttackOptions = {
  readonly turns: number
  readonly seed: number
  readonly turnsPerRound: number
  /** How many organizations are attacked. By default all, which have every secret in every place. */
  readonly targets?: number
  /** Folders in which no file may appear. */
  readonly folders?: readonly string[]
  readonly onRound?: (reached: { turns: number; runs: number; faults: readonly string[] }) => void
}

type AttackReport = {
  seed: number
  /** Tool calls that the models asked for. */
  turns: number
  answers: number
  orders: number
  steals: number
  broken: number
  runs: number
  proposals: number
  ends: Record<string, number>
  /** Requests that came to the address that redirects lead to. */
  trapped: number
  leaks: string[]
  effects: string[]
  late: string[]
  /** Files that were not there before. */
  files: string[]
  errors: string[]
  max_request_bytes: number
  max_rss_mb: number
  max_event_loop_ms: number
  seconds: number
}

/** Those of one style whose numbers are 4 apart have the same secrets, in the log of one and in the source of the other. */
const MODELS = [
  ['plain', 'm1', 'named'],
  ['tools', 'm2', 'own'],
  ['tools', 'm5', 'named'],
  ['plain', 'm3', 'own'],
  ['plain', 'm4', 'own'],
  ['tools', 'm9', 'own'],
] as const

/** The server that the models run on must exist before the system, whose settings name it. */
type Attack = AsyncDisposable & {
  readonly env: Readonly<Record<string, string>>
  run(system: System): Promise<AttackReport>
}

export async function prepareAttack(options: AttackOptions): Promise<Attack> {
  const watch = new RequestWatch()
  const server = await startHostileServer({
    seed: options.seed,
    words: (model) => watch.words(model),
    onRequest: (model, body) => watch.see(model, body),
    onSteal: (model) => watch.steal(model),
  })
  const provider = (name: string, kind: string) => ({ name, kind, base_url: server.baseUrl, api_key: server.apiKey })
  return {
    env: {
      SVC_AI_PROVIDERS: JSON.stringify([provider('plain', 'openai'), provider('tools', 'anthropic')]),
      SVC_AGENT_TOKENS_PER_DAY: '1000000000',
    },
    run: (system) => attack(system, server, watch, options),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function attack(
  system: System,
  server: HostileServer,
  watch: RequestWatch,
  options: AttackOptions,
): Promise<AttackReport> {
  const began = performance.now()
  const delay = monitorEventLoopDelay()
  delay.enable()
  const targets = await plantTargets(system, options)
  watch.begin(system, targets)
  const progress: Progress = { runs: 0, proposals: 0, ends: {}, effects: [], late: [], maxRss: 0 }
  const files = listFiles(options.folders)
  await settled(system)
  while (server.counts.turns < options.turns) {
    await attackOnce({ system, server, targets, stolen: watch.stolen!, options, progress })
    const { effects, late } = progress
    const trapped = server.counts.trapped > 0 ? [`${server.counts.trapped} trapped`] : []
    const faults = [...watch.leaks, ...effects, ...late, ...server.counts.faults, ...trapped]
    options.onRound?.({ turns: server.counts.turns, runs: progress.runs, faults })
  }
  delay.disable()
  const { turns, answers, orders, steals, broken, trapped, faults } = server.counts
  const { maxRss, ...found } = progress
  return {
    seed: options.seed,
    turns,
    answers,
    orders,
    steals,
    broken,
    trapped,
    ...found,
    leaks: watch.leaks,
    files: listFiles(options.folders).filter((path) => !files.includes(path)),
    errors: [...faults, ...system.logs.filter((line) => /"level":"?(?:error|fatal|50|60)/.test(line))],
    max_request_bytes: watch.maxBytes,
    max_rss_mb: Math.round(maxRss / 1024 / 1024),
    max_event_loop_ms: Math.round(delay.max / 1e6),
    seconds: Math.round((performance.now() - began) / 1000),
  }
}

async function plantTargets(system: System, { targets: count }: AttackOptions): Promise<Target[]> {
  const targets: Target[] = []
  for (const [provider, model, style] of MODELS.slice(0, count)) {
    targets.push(await plantTarget(system, provider, model, style))
  }
  return targets
}

/** Names of all files below the folders, without those of packages and of git. */
function listFiles(folders: readonly string[] = []): string[] {
  return folders.flatMap((folder) =>
    globSync('**/*', { cwd: folder, exclude: (name) => ['node_modules', '.git', 'dist'].includes(name) }),
  )
}

type Round = {
  readonly system: System
  readonly server: HostileServer
  readonly targets: readonly Target[]
  readonly stolen: StolenClaims
  readonly options: AttackOptions
  readonly progress: Progress
}

/** Lets the models of all targets work at once, and compares the database before and after. */
async function attackOnce({ system, server, targets, stolen, options, progress }: Round): Promise<void> {
  const before = await takeSnapshot(system.db, WRITTEN_TABLES)
  const last = Math.min(options.turns, server.counts.turns + options.turnsPerRound)
  const isOver = () => server.counts.turns >= last
  await Promise.all(targets.map((target) => attackUntil(system, target, stolen, isOver, progress)))
  await settled(system)
  progress.late.push(...(await stolen.findLate()))
  const after = await takeSnapshot(system.db, WRITTEN_TABLES)
  const leaks = createLeakSearch(secretsOf('named', 'm1'))
  progress.effects.push(...findEffects(before, after, targets, leaks))
  progress.maxRss = Math.max(progress.maxRss, process.memoryUsage.rss())
  await forget(system, targets)
}

type Progress = {
  runs: number
  proposals: number
  ends: Record<string, number>
  effects: string[]
  late: string[]
  maxRss: number
}

/** Starts one run after another. After every few of them it is another day. */
async function attackUntil(
  system: System,
  target: Target,
  stolen: StolenClaims,
  isOver: () => boolean,
  report: Progress,
) {
  for (let n = 1; !isOver(); n++) {
    const code = await runOnce(system, target, stolen)
    report.runs++
    report.ends[code] = (report.ends[code] ?? 0) + 1
    if (n % 6 === 0) report.effects.push(...(await endDay(system, target, report)))
    await refill(system, target)
  }
  report.effects.push(...(await endDay(system, target, report)))
}

async function runOnce(system: System, target: Target, stolen: StolenClaims): Promise<string> {
  const start = { alias: 'shop', mode: 'manual' } as const
  const { execution_id } = await system.client(target.token).call(startMaintenanceRun, start)
  return until(async () => {
    if (stolen.has(execution_id)) await stolen.release(execution_id)
    const [run] = await system.db.query<{ code: string | null }>(sql`
      select terminal_code as code from maintenance.runs where id = ${execution_id}`)
    return run?.code
  })
}

/** Lets the next run look again, with a pool that no lie about tokens has closed. */
async function refill({ db }: System, { app, orgId }: Target): Promise<void> {
  await db.query(sql`update maintenance.runs set evidence_digest = null where app_id = ${app.id} and status = 'ended'`)
  await db.query(sql`
    update ai.agent_pool_days day
    set is_closed = false, tokens = coalesce((
      select sum(tokens) from ai.agent_reservations where org_id = day.org_id and booked is null), 0)
    where org_id = ${orgId}`)
}

/** Moves the proposals to the day before. Returns a fault if the day had more than one. */
async function endDay({ db }: System, { app }: Target, report: Progress): Promise<string[]> {
  const today = await db.query<{ id: string }>(sql`
    select id from maintenance.proposals where app_id = ${app.id} and day >= (now() at time zone 'UTC')::date`)
  report.proposals += today.length
  await db.query(sql`
    update maintenance.proposals
    set day = day - 1000 + (select count(*) from maintenance.proposals where app_id = ${app.id})::int,
      day_ends_at = day_ends_at - interval '1 day', fingerprint = id
    where app_id = ${app.id} and day >= (now() at time zone 'UTC')::date`)
  return today.length > 1 ? [`${today.length} proposals on one day of ${app.id}`] : []
}

/** Waits until no run works any more, every call is booked and every event is where it belongs. */
async function settled({ db }: System): Promise<void> {
  await until(async () => {
    const [row] = await db.query<{ open: number }>(sql`
      select (select count(*) from maintenance.runs where status <> 'ended')
        + (select count(*) from ai.agent_reservations where booked is null)
        + (select count(*) from svc.outbox)
        + (select count(*) from notifications.events where matched_at is null and unreadable_at is null) as open`)
    return row!.open === 0
  })
}

/** Deletes what the runs of a round left, so that the next snapshots stay small. */
async function forget({ db }: System, targets: readonly Target[]): Promise<void> {
  const apps = targets.map(({ app }) => app.id)
  await db.query(sql`delete from maintenance.findings where app_id = any(${apps}::text[]) and fingerprint <> app_id`)
  await db.query(sql`delete from maintenance.runs where app_id = any(${apps}::text[])`)
  await db.query(sql`delete from ai.agent_pool_days where org_id = any(${targets.map(({ orgId }) => orgId)}::text[])`)
  await db.query(sql`delete from notifications.events where org_id = any(${targets.map(({ orgId }) => orgId)}::text[])`)
}
