import { listRecentFindings } from '#contract/maintenance/tools.ts'
import { type Route, route } from '#edge/route/route.ts'
import { listFindings } from '../findings/store.ts'
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
      const rows = await listFindings(db, run.app_id, MAX_FINDINGS)
      // Summaries were redacted when they were written, but not with the variables that the app has now.
      const summaries = await (await redactorOf(run.app_id)).entries(rows.map(({ summary }) => summary))
      const findings = rows.map(({ first_seen_at, last_seen_at, denied_at, ...finding }, index) => ({
        ...finding,
        summary: summaries[index]!,
        first_seen_at: first_seen_at.toISOString(),
        last_seen_at: last_seen_at.toISOString(),
        was_denied: denied_at !== null,
      }))
      const data = { findings: takeFitting(findings).taken }
      return { evidence_id: await recordEvidence(db, run, { kind: 'findings', reference: 'recent', data }), ...data }
    }),
  ]
}
