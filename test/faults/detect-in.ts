import { statedLevel } from '#lib/log/stated-level.ts'
import { clusterLines } from '../../src/server/areas/maintenance/detect/cluster.ts'
import { detect } from '../../src/server/areas/maintenance/detect/detectors.ts'
import { readEntries } from '../../src/server/areas/maintenance/detect/entries.ts'
import { withRequests } from '../../src/server/areas/maintenance/detect/signals/evidence.ts'
import { historyOf } from '../../src/server/areas/maintenance/detect/signals/history-of.ts'
import { type App, linesOf, milliseconds, runsOf } from './fault-app.ts'

const NOW = new Date('2026-11-15T03:00:00Z')
const DAY_MS = 24 * 3_600_000

/** Returns the kinds and summaries of what the detectors find in the app, as a run of them would, without a server. */
export async function detectIn(app: App): Promise<{ kind: string; summary: string; cites: number }[]> {
  const lines = linesOf(app, NOW.getTime()).map(({ at, level, text }) => ({
    at,
    level: level ?? statedLevel(text) ?? 'info',
    text,
  }))
  const times = app.deploys.map((time) => new Date(NOW.getTime() + milliseconds(time)))
  const liveAt = times.at(-1)
  const isCompared = liveAt !== undefined && liveAt.getTime() > NOW.getTime() - 7 * DAY_MS
  const between = (since: number, until: number) =>
    lines.filter(({ at }) => at.getTime() >= since && at.getTime() < until)
  const recent = between(NOW.getTime() - DAY_MS, NOW.getTime())
  const before = isCompared ? between(liveAt.getTime() - DAY_MS, liveAt.getTime()) : []
  const history = await historyOf({
    now: NOW,
    recent: await withRequests(await readEntries(recent)),
    baseline: await withRequests(await readEntries(before)),
    deploy: isCompared ? { id: 'dep_2', revisionId: 'rev_2', liveAt } : undefined,
    deployTimes: times.filter((time) => time.getTime() > NOW.getTime() - 7 * DAY_MS),
    checks: app.checks.map((check) => ({ name: check.name, ...runsOf(check, NOW.getTime()) })),
  })
  const found = detect({
    clusters: await clusterLines(recent),
    checks: app.checks.map((check) => ({ name: check.name, state: runsOf(check, NOW.getTime()).state })),
    files: Object.keys({ 'README.md': '', ...app.files }),
    history,
  })
  return found.map(({ kind, summary, lines: cited = [] }) => ({ kind, summary, cites: cited.length }))
}
