import { listRecentFindings } from '#contract/maintenance/tools.ts'
import { type Route, route } from '#edge/route/route.ts'
import { listFindings } from '../findings/store.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { takeFitting } from './bounds.ts'
import { requireRun } from './calling-run.ts'
import { recordEvidence } from './evidence-store.ts'

const MAX_FINDINGS = 20

/** Summaries can repeat what a model wrote, so they are data to the next model as well. */
export function findingRoutes({ db }: MaintenanceDeps): Route[] {
  return [
    route(listRecentFindings, async (_, { principal }) => {
      const run = await requireRun(db, principal)
      const findings = (await listFindings(db, run.app_id, MAX_FINDINGS)).map(
        ({ first_seen_at, last_seen_at, denied_at, ...finding }) => ({
          ...finding,
          first_seen_at: first_seen_at.toISOString(),
          last_seen_at: last_seen_at.toISOString(),
          was_denied: denied_at !== null,
        }),
      )
      const data = { findings: takeFitting(findings).taken }
      return { evidence_id: await recordEvidence(db, run, { kind: 'findings', reference: 'recent', data }), ...data }
    }),
  ]
}
