import { readLogTemplates, searchAppLogs } from '#contract/maintenance/tools.ts'
import { type Route, route } from '#edge/route/route.ts'
import { clusterLines } from '../detect/cluster.ts'
import { isFormerRevision } from '../detect/former-revision.ts'
import { joinTraces, type LogLine } from '../detect/join-traces.ts'
import { readLine } from '../detect/read-line.ts'
import { templateOf } from '../detect/template.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { takeFitting } from './bounds.ts'
import { requireRun } from './calling-run.ts'
import { recordEvidence } from './evidence-store.ts'

/** Redacting and grouping them takes about 0.3 s of processor time. */
const MAX_LOG_BYTES = 1024 * 1024
const MAX_CLUSTERS = 200
const MAX_LINE_CHARACTERS = 1_000
const HOUR_MS = 3_600_000

export function logRoutes({ db, clock, logs, redactorOf }: MaintenanceDeps): Route[] {
  /** Reads the newest lines. Secrets are hidden before anything is searched or cut. */
  const readLines = async (appId: string, hours: number) => {
    const until = clock.now()
    const since = new Date(until.getTime() - hours * HOUR_MS)
    const { lines, isComplete } = await logs.read(appId, { since, until, words: [], level: null }, MAX_LOG_BYTES)
    const redactor = await redactorOf(appId)
    const texts = await redactor.entries(lines.map(({ text }) => text))
    const period = `${since.toISOString()} to ${until.toISOString()}`
    return { lines: lines.map((line, index) => ({ ...line, text: texts[index]! })), isComplete, period, redactor }
  }
  return [
    route(readLogTemplates, async ({ hours }, { principal }) => {
      const run = await requireRun(db, principal)
      const { lines, isComplete, period } = await readLines(run.app_id, hours)
      const all = await clusterLines(lines, run.revision_id)
      const clusters = all.slice(0, MAX_CLUSTERS).map(({ first_at, last_at, frames, ...rest }) => ({
        ...rest,
        frames: [...frames],
        first_at: first_at.toISOString(),
        last_at: last_at.toISOString(),
      }))
      const data = { clusters, is_complete: isComplete && all.length <= MAX_CLUSTERS }
      return { evidence_id: await recordEvidence(db, run, { kind: 'logs', reference: period, data }), ...data }
    }),
    route(searchAppLogs, async ({ literal, hours, limit }, { principal }) => {
      const run = await requireRun(db, principal)
      const { lines, isComplete, period, redactor } = await readLines(run.app_id, hours)
      const needle = literal.toLowerCase()
      const found = joinTraces(lines)
        .filter(({ text }) => text.toLowerCase().includes(needle))
        .toReversed()
      const { taken, isAll } = takeFitting(found.slice(0, limit).map((line) => toShownLine(line, run.revision_id)))
      const data = { lines: taken, is_complete: isComplete && isAll && found.length <= limit }
      const reference = `lines with ${JSON.stringify(await redactor.text(literal))}, ${period}`
      return { evidence_id: await recordEvidence(db, run, { kind: 'logs', reference, data }), ...data }
    }),
  ]
}

function toShownLine({ at, level, text, revisionId }: LogLine, live: string | null) {
  const { message, frames } = readLine(text)
  return {
    at: at.toISOString(),
    level,
    text: text.slice(0, MAX_LINE_CHARACTERS).toWellFormed(),
    template: templateOf(message),
    frames: [...frames],
    ...(revisionId && isFormerRevision(revisionId, live) && { former_revision_id: revisionId }),
  }
}
