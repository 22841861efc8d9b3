import type { PersonSettings } from '#contract/data-sources/person-settings.ts'
import type { EmbeddingConfigInput } from '#contract/data-sources/search-config.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { indexStatement } from '../search/index-statement.ts'
import { findVectorIndexes } from '../search/indexes.ts'
import type { PersonValues } from '../search/person.ts'
import { choosePlan, type Plan, planWarning, withIndexes } from '../search/plan.ts'
import { type Catalogue, findExtension, findSettingPrefixes, inCatalogue, type ManagedDb } from './catalogue.ts'
import { checkDimensions, checkEntry, type EmbeddingModels, readFilterSchema } from './check-entry.ts'
import { checkFilters } from './check-filters.ts'
import { checkPolicies, readPersonSettings } from './check-person-settings.ts'
import { checkExtension, checkTable, type FoundTable, tableText } from './check-table.ts'
import { Findings } from './findings.ts'
import { resolve } from './resolve.ts'
import { measure, tryOut } from './try-out.ts'

type SentConfiguration = {
  entries: readonly EmbeddingConfigInput[]
  filter_schema: Readonly<Record<string, string>>
  person_settings: Readonly<Record<string, string>> | undefined
  /** Settings for the hits of every entry. */
  relevance: Pick<ResolvedEntry, 'min_relevance' | 'error_rate'>
}
type Deps = EmbeddingModels & {
  owner: ManagedDb
  reader: string
  /** Reads the claims of the person who saves, whose rows the checks see. */
  personValues: (settings: PersonSettings) => Promise<PersonValues>
}

type Candidate = { entry: ResolvedEntry; table: FoundTable; path: string; plan: Plan; index_statement: string | null }

/** Runs every check, whatever the others found, so that one answer lists all problems. Throws if there are any. */
export async function checkAll(deps: Deps, sent: SentConfiguration) {
  const { findings, ...checked } = await inspectAll(deps, sent)
  findings.refuseProblems()
  return { ...checked, warnings: findings.warnings }
}

/** Runs every check, whatever the others found. Problems are among the findings. */
export async function inspectAll({ owner, reader, personValues, ...models }: Deps, sent: SentConfiguration) {
  const findings = new Findings()
  checkEntries(sent.entries, models, findings)
  const { candidates, settings } = await inCatalogue(owner, reader, (catalogue) => lookUp(catalogue, sent, findings))
  const person = settings && (await personValues(settings))
  for (const { entry, table, path } of candidates) {
    const report = findings.at(path)
    if (table.vector!.size === -1) await measure(owner, entry, person, report)
    await tryOut(owner, entry, person, report)
  }
  // They follow from the present indexes and are not stored.
  const indexWarnings = candidates.flatMap(({ plan, entry }) => planWarning(plan, entry) ?? [])
  const namesReader = candidates.filter(({ table }) => table.relation.names_reader)
  return {
    findings,
    entries: candidates.map(({ entry }) => entry),
    plans: candidates.map(({ entry: { label }, plan, index_statement }) => ({ label, ...plan, index_statement })),
    /** Tables with a policy that names the role of questions. */
    tablesNamingReader: namesReader.map(({ table }) => tableText(table.relation)),
    person,
    indexWarnings,
  }
}

function checkEntries(entries: SentConfiguration['entries'], models: EmbeddingModels, findings: Findings): void {
  const labels = entries.map(({ label }) => label)
  for (const [i, entry] of entries.entries()) {
    const report = findings.at(pathOf(i))
    checkEntry(entry, labels.slice(0, i), report)
    checkDimensions(entry, models, report)
  }
}

export const pathOf = (i: number) => `connection_config.embedding_configs.${i}`

type Found = { candidates: Candidate[]; settings: PersonSettings | undefined }

async function lookUp(catalogue: Catalogue, sent: SentConfiguration, findings: Findings): Promise<Found> {
  const settings = await lookUpPerson(catalogue, sent, findings)
  const filters = readFilterSchema(sent.filter_schema, findings.at('filter_schema'))
  const found: { entry: EmbeddingConfigInput; table: FoundTable; path: string }[] = []
  for (const [i, entry] of sent.entries.entries()) {
    const table = await checkTable(catalogue, entry, settings !== undefined, findings.at(pathOf(i)))
    if (table) found.push({ entry, table, path: pathOf(i) })
    if (table && settings) checkPolicies(table.relation, Object.keys(settings), findings.at(pathOf(i)))
  }
  const tables = found.map(({ table }) => table)
  checkFilters(filters, tables, findings.at('filter_schema'))
  if (sent.entries.length === 0) return { candidates: [], settings }
  const extension = await findExtension(catalogue)
  checkExtension(extension, findings.at('connection_config'))
  if (!extension) return { candidates: [], settings }
  const candidates: Candidate[] = []
  for (const { entry, table, path } of found) {
    const plain = resolve(entry, table, extension, filters)
    if (!plain) continue
    const resolved = { ...plain, ...sent.relevance, ...(settings && { person_settings: settings }) }
    const indexes = await findVectorIndexes(catalogue.tx, resolved)
    const plan = choosePlan(resolved, indexes)
    const index_statement = table.vector!.size === -1 ? null : indexStatement(resolved, indexes)
    candidates.push({ entry: withIndexes(resolved, indexes), table, path, plan, index_statement })
  }
  return { candidates, settings }
}

/** Returns undefined where none were sent, and where they have faults. */
async function lookUpPerson(catalogue: Catalogue, { person_settings }: SentConfiguration, findings: Findings) {
  if (!person_settings) return undefined
  const report = findings.at('connection_config.person_settings')
  return readPersonSettings(person_settings, await findSettingPrefixes(catalogue), report)
}
