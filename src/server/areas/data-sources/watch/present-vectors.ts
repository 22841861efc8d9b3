import { type SourceVectors, VECTOR_FINDING_KINDS, type VectorFinding } from '#contract/data-sources/vectors.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import { isFinding, totals } from './checks.ts'
import { describeFinding } from './describe-finding.ts'
import { listingSql } from './listing-sql.ts'
import { type WatchedEntry, watchedOf } from './stored-entry.ts'

export function presentVectors(
  entries: readonly ResolvedEntry[],
  stored: Readonly<Record<string, WatchedEntry>>,
): SourceVectors[] {
  return entries.map((entry) => {
    const watched = watchedOf(stored, entry)
    const findings = findingsOf(entry, watched)
    return {
      label: entry.label,
      state: stateOf(watched, findings),
      looked_at: watched.looked_at,
      reason: watched.reason,
      findings,
      not_checked: watched.not_checked,
    }
  })
}

function stateOf(watched: WatchedEntry, findings: readonly VectorFinding[]): SourceVectors['state'] {
  if (!watched.is_possible) return 'not_possible'
  if (watched.looked_at === null) return 'not_looked_at'
  return findings.length > 0 ? 'findings' : 'clean'
}

function findingsOf(entry: ResolvedEntry, { checks, recipe }: WatchedEntry): VectorFinding[] {
  return VECTOR_FINDING_KINDS.flatMap((kind) => {
    const check = checks[kind]
    if (!check || check.first_seen === null || !isFinding(kind, check)) return []
    const { seen, of } = totals(check.nights)
    return {
      kind,
      rows_seen: seen,
      rows_looked_at: of,
      share: Number((seen / of).toPrecision(3)),
      first_seen: check.first_seen,
      last_seen: check.nights.findLast((night) => night.seen > 0)!.at,
      ...describeFinding(kind, entry, check),
      sql: listingSql(kind, { entry, check, recipe }),
    }
  })
}
