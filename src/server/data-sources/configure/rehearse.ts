import { rehearseSearch } from '../ask/search.ts'
import type { ManagedDb } from './catalogue.ts'
import { pathOf } from './check.ts'
import { Findings } from './findings.ts'
import { addGrants, setGrants } from './grants.ts'
import type { ResolvedEntry } from './resolved.ts'
import { attempt } from './try-out.ts'

type Roles = { owner: ManagedDb; reader: ManagedDb; readerName: string }

/**
 * Gives the reader what these entries need, and asks as the reader with the very statements of a question; no row is
 * read. When one is refused the rights are as `before` again, unless those tables are gone: the next save takes the rest.
 */
export async function grantAndRehearse(
  { owner, reader, readerName }: Roles,
  entries: readonly ResolvedEntry[],
  before: readonly ResolvedEntry[],
): Promise<void> {
  await addGrants(owner, readerName, entries)
  const findings = new Findings()
  for (const [i, entry] of entries.entries()) {
    await attempt(findings.at(pathOf(i)), () => rehearseSearch(reader, entry))
  }
  if (findings.problems.length > 0) await setGrants(owner, readerName, before).catch(() => undefined)
  findings.refuseProblems()
}
