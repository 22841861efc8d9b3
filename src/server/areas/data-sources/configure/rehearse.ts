import type { ResolvedEntry } from '../search/entry.ts'
import type { PersonValues } from '../search/person.ts'
import type { Reader } from '../search/reader.ts'
import { rehearseSearch } from '../search/rehearse-search.ts'
import { isFilteredByPolicy } from '../search/row-security.ts'
import type { ManagedDb } from './catalogue.ts'
import { pathOf } from './check.ts'
import { tableText } from './check-table.ts'
import { Findings, type Reporter } from './findings.ts'
import { addGrants, setGrants } from './grants.ts'
import { attempt } from './try-out.ts'

type Roles = { owner: ManagedDb; reader: ManagedDb; readerName: string; person: PersonValues | undefined }

/**
 * Grants the reader the rights that these entries need, and runs the statements of a question as the reader; no row is
 * read. When one is refused, the rights of `before` are restored, unless those tables are gone: the next save revokes
 * the rest. Answers the entries with what only the reader could find out, and warnings of it.
 */
export async function grantAndRehearse(
  { owner, reader, readerName, person }: Roles,
  entries: readonly ResolvedEntry[],
  before: readonly ResolvedEntry[],
) {
  await addGrants(owner, readerName, entries)
  const { entries: rehearsed, findings } = await rehearseAll(reader, entries, person)
  if (findings.problems.length > 0) await setGrants(owner, readerName, before).catch(() => undefined)
  findings.refuseProblems()
  return { entries: rehearsed, warnings: findings.warnings }
}

/** Runs the statements of a question for each entry; no row is read. Problems are among the findings. */
export async function rehearseAll(reader: Reader, entries: readonly ResolvedEntry[], person: PersonValues | undefined) {
  const findings = new Findings()
  const rehearsed: ResolvedEntry[] = []
  for (const [i, entry] of entries.entries()) {
    const report = findings.at(pathOf(i))
    await attempt(report, async () => {
      rehearsed.push(await rehearse(reader, entry, person, report))
    })
  }
  return { entries: rehearsed, findings }
}

/** A view can show rows under the policies of a table below it, which only a statement over the view finds out. */
async function rehearse(
  reader: Reader,
  entry: ResolvedEntry,
  person: PersonValues | undefined,
  report: Reporter,
): Promise<ResolvedEntry> {
  try {
    await rehearseSearch(reader, entry, person)
    return entry
  } catch (error) {
    if (entry.row_security || !isFilteredByPolicy(error)) throw error
  }
  const underPolicies = { ...entry, row_security: true }
  await rehearseSearch(reader, underPolicies)
  report.warn(
    `${tableText({ ...entry, name: entry.table })} reads a table with row-level security: only rows that its policies show are found`,
  )
  return underPolicies
}
