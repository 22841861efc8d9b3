import { maskRanges, mergeRanges, type Range, rangesWithin } from './ranges.ts'
import { findByRules } from './rules.ts'
import { findByServices } from './secretlint.ts'

/**
 * Finds secrets and personal data. Give it whole files and whole logs and cut afterwards: a part of a key cannot be
 * recognised. The ranges are sorted and do not overlap.
 */
export async function findSecrets(text: string): Promise<Range[]> {
  return mergeRanges([...findByRules(text), ...(await findByServices(text))])
}

/** Hides secrets. The text keeps its lines. */
export async function redactText(text: string): Promise<string> {
  return maskRanges(text, await findSecrets(text))
}

/** Hides secrets in entries of a log, also one that several entries make up together. */
export async function redactEntries(entries: readonly string[]): Promise<string[]> {
  const secrets = await findSecrets(entries.join('\n'))
  let offset = 0
  let first = 0
  return entries.map((entry) => {
    const end = offset + entry.length
    while (first < secrets.length && secrets[first]![1] <= offset) first++
    let last = first
    while (last < secrets.length && secrets[last]![0] < end) last++
    const masked = maskRanges(entry, rangesWithin(secrets.slice(first, last), offset, entry.length))
    offset = end + 1
    return masked
  })
}
