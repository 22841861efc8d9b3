import { listCheckStates, readCheckHistory } from '#contract/maintenance/tools.ts'
import { type Route, route } from '#edge/route/route.ts'
import { refused } from '../edits/text-file.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { takeFitting } from './bounds.ts'
import { requireRun } from './calling-run.ts'
import { recordEvidence } from './evidence-store.ts'

const MAX_RUNS = 30

export function checkRoutes({ db, listChecks, listCheckRuns, redactorOf }: MaintenanceDeps): Route[] {
  return [
    route(listCheckStates, async (_, { principal }) => {
      const run = await requireRun(db, principal)
      const states = await listChecks(run.app_id)
      const data = { checks: states.map(({ since, ...check }) => ({ ...check, since: since.toISOString() })) }
      return { evidence_id: await recordEvidence(db, run, { kind: 'checks', reference: 'states', data }), ...data }
    }),
    route(readCheckHistory, async ({ name }, { principal }) => {
      const run = await requireRun(db, principal)
      const history = await listCheckRuns(run.app_id, name, MAX_RUNS)
      if (!history) throw refused('The app has no check of this name. Use a name exactly as the check states have it.')
      const redactor = await redactorOf(run.app_id)
      const details = await redactor.entries(history.runs.map(({ detail }) => detail ?? ''))
      const runs = history.runs.map(({ at, verdict, code, detail }, index) => ({
        at: at.toISOString(),
        verdict,
        code,
        detail: detail === null ? null : details[index]!,
      }))
      const data = { name, state: history.state, runs: takeFitting(runs).taken }
      const read = { kind: 'checks', reference: `runs of ${name}`, data } as const
      return { evidence_id: await recordEvidence(db, run, read), ...data }
    }),
  ]
}
