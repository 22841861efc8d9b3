import { checkSearch } from '#contract/data-sources/check-search.ts'
import { type Route, route } from '#edge/route/route.ts'
import { type ContentModels, checkWarning, compareModels } from '../configure/compare-model.ts'
import { PERSON_REMOVED } from '../configure/configure.ts'
import { Findings, MAX_REPORTED_PROBLEMS } from '../configure/findings.ts'
import { noSuchSource } from '../configure/no-such-source.ts'
import { rehearseAll } from '../configure/rehearse.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { findTypedSource, type InspectDeps, inspectDocument } from './inspect.ts'
import { GrantedByName, previewReader } from './preview-reader.ts'

/** Checks a document as a save does. The statements of questions are rehearsed under rights that are never committed. */
export function checkRoute(deps: InspectDeps & ContentModels): Route {
  return route(checkSearch, async ({ id, ...document }, { principal, signal }) => {
    const source = await findTypedSource(deps, principal.org_id, id)
    if (!source) throw noSuchSource()
    const inspected = await inspectDocument(deps, source.database_name, { principal, document })
    const { findings, preview, person, plans, indexWarnings } = inspected
    const faulty = { plan: [], model_checks: [] }
    if (findings.problems.length > 0) return { ...faulty, ...reported(findings) }
    const reader = previewReader(preview, inspected.entries)
    const rehearsed = await rehearseAll(reader, inspected.entries, person).catch(notRehearsed(inspected.entries))
    if (rehearsed.findings.problems.length > 0) return { ...faulty, ...reported(rehearsed.findings) }
    const mayLeave = document.send_sample_to_provider
    const comparing = { ...deps, reader, org_id: principal.org_id, person, mayLeave, signal }
    const checks = await compareModels(comparing, rehearsed.entries)
    const isPersonRemoved = source.has_person_settings && !document.connection_config.person_settings
    return {
      faults: [],
      warnings: [
        ...(isPersonRemoved ? [PERSON_REMOVED] : []),
        ...findings.warnings,
        ...rehearsed.findings.warnings,
        ...checks.flatMap((check) => checkWarning(check) ?? []),
        ...indexWarnings,
      ],
      plan: plans,
      model_checks: checks.map(({ entry, outcome, detail }) => ({ label: entry.label, outcome, detail })),
    }
  })
}

/** A check that cannot be made here is no fault: the save makes it. */
function notRehearsed(entries: readonly ResolvedEntry[]) {
  return (error: unknown) => {
    if (!(error instanceof GrantedByName)) throw error
    const findings = new Findings()
    findings.warn(error.message)
    return { entries, findings }
  }
}

function reported({ problems, warnings }: { problems: { path: string; message: string }[]; warnings: string[] }) {
  return { faults: problems.slice(0, MAX_REPORTED_PROBLEMS), warnings }
}
