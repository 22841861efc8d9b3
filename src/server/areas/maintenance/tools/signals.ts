import { readSignals } from '#contract/maintenance/tools.ts'
import { type Route, route } from '#edge/route/route.ts'
import { readEntries } from '../detect/entries.ts'
import { type CheckRuns, type SignalEntry, type SignalEvidence, withRequests } from '../detect/signals/evidence.ts'
import { historyOf } from '../detect/signals/history-of.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { requireRun } from './calling-run.ts'
import { recordEvidence } from './evidence-store.ts'

const DAY_MS = 24 * 3_600_000
/** A comparison with what was a week ago says more about the app's users than about the deploy. */
const COMPARED_DAYS = 7
const MAX_RECENT_BYTES = 1024 * 1024
const MAX_BASELINE_BYTES = 512 * 1024
const MAX_CHECKS = 100
/** A day of a check that runs every three minutes. */
const MAX_RUNS = 500

/** Returns the signals that the detectors use. Models are not offered it: they read logs and checks themselves. */
export function signalRoute(deps: MaintenanceDeps): Route {
  const { db } = deps
  return route(readSignals, async (_, { principal }) => {
    const run = await requireRun(db, principal)
    const evidence = await readEvidence(deps, run.app_id)
    const data = await historyOf(evidence)
    const reference = evidence.deploy ? `since deploy ${evidence.deploy.id}` : 'no deploy within a week'
    return { evidence_id: await recordEvidence(db, run, { kind: 'history', reference, data }), ...data }
  })
}

async function readEvidence(deps: MaintenanceDeps, appId: string): Promise<SignalEvidence> {
  const now = deps.clock.now()
  const wentLive = await deps.listWentLive(deps.db, appId, before(now, COMPARED_DAYS))
  const deploy = wentLive.find(({ endedAt }) => endedAt === null)
  const recent = await readWindow(deps, appId, { since: before(now, 1), until: now, maxBytes: MAX_RECENT_BYTES })
  const baseline = deploy
    ? await readWindow(deps, appId, {
        since: before(deploy.liveAt, 1),
        until: deploy.liveAt,
        maxBytes: MAX_BASELINE_BYTES,
      })
    : []
  const deployTimes = wentLive.map(({ liveAt }) => liveAt)
  return { now, recent, baseline, deploy, deployTimes, checks: await readChecks(deps, appId) }
}

function before(at: Date, days: number): Date {
  return new Date(at.getTime() - days * DAY_MS)
}

type Window = { readonly since: Date; readonly until: Date; readonly maxBytes: number }

/** Reads the newest lines of the window. Secrets are hidden before anything is compared or cited. */
async function readWindow(deps: MaintenanceDeps, appId: string, window: Window): Promise<SignalEntry[]> {
  const { since, until, maxBytes } = window
  const { lines } = await deps.logs.read(appId, { since, until, words: [], level: null }, maxBytes)
  const texts = await (await deps.redactorOf(appId)).entries(lines.map(({ text }) => text))
  return withRequests(await readEntries(lines.map((line, index) => ({ ...line, text: texts[index]! }))))
}

async function readChecks(
  { listChecks, listCheckRuns, redactorOf }: MaintenanceDeps,
  appId: string,
): Promise<CheckRuns[]> {
  const redactor = await redactorOf(appId)
  const found: CheckRuns[] = []
  for (const { name } of (await listChecks(appId)).slice(0, MAX_CHECKS)) {
    const history = await listCheckRuns(appId, name, MAX_RUNS)
    if (!history) continue
    const details = await redactor.entries(history.runs.map(({ detail }) => detail ?? ''))
    const runs = history.runs.map(({ at, verdict, detail }, index) => ({
      at,
      verdict,
      detail: detail === null ? null : details[index]!,
    }))
    found.push({ name, state: history.state, runs })
  }
  return found
}
