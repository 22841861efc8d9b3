import { listRecentFindings } from '#contract/maintenance/tools.ts'
import { type Route, route } from '#edge/route/route.ts'
import { listRecent } from '../findings/store.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { takeFitting } from './bounds.ts'
import { requireRun } from './calling-run.ts'
import { recordEvidence } from './evidence-store.ts'

const MAX_FINDINGS = 20

/** Summaries can repeat what a model wrote, so they are data to the next model as well. */
export function findingRoutes({ db, redactorOf }: MaintenanceDeps): Route[] {
  return [
    route(listRecentFindings, async (_, { principal }) => {
      const run = await requireRun(db, principal)
      const rows = await listRecent(db, run.app_id, MAX_FINDINGS)
      // These texts were redacted when they were written, but not with the variables that the app has now.
      const redactor = await redactorOf(run.app_id)
      const summaries = await redactor.entries(rows.map(({ summary }) => summary))
      const templates = await redactor.entries(rows.map(({ template }) => template))
      const symbols = await redactor.entries(rows.map(({ symbol }) => symbol ?? ''))
      const findings = rows.map((row, index) => ({
        kind: row.kind,
        path: row.path,
        symbol: row.symbol === null ? null : symbols[index]!,
        template: templates[index]!,
        summary: summaries[index]!,
        first_seen_at: row.first_seen_at.toISOString(),
        last_seen_at: row.last_seen_at.toISOString(),
        count: row.count,
        was_denied: row.denied_at !== null || row.dismissed_at !== null,
      }))
      const data = { findings: takeFitting(findings).taken }
      return { evidence_id: await recordEvidence(db, run, { kind: 'findings', reference: 'recent', data }), ...data }
    }),
  ]
}
