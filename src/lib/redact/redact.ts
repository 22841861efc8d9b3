import { letOthersRun } from '#lib/async/let-others-run.ts'
import { findPrivateKeys } from './private-keys.ts'
import { maskRanges, mergeRanges, type Range, rangesWithin } from './ranges.ts'
import { findByRules } from './rules.ts'
import { findByServices } from './secretlint.ts'

/** Searching this much takes a few milliseconds. */
const CHUNK_CHARACTERS = 32 * 1024

/**
 * Finds secrets and personal data. Give it whole files and whole logs and cut afterwards: a part of a key cannot be
 * recognised. The ranges are sorted and do not overlap. Large texts are searched in parts, between which other work of
 * this process goes on.
 */
export async function findSecrets(text: string): Promise<Range[]> {
  const found = [findPrivateKeys(text)]
  for (const { offset, chunk } of chunksOf(text)) {
    if (offset > 0) await letOthersRun()
    const ranges = [...findByRules(chunk), ...(await findByServices(chunk))]
    found.push(ranges.map(([start, end]) => [start + offset, end + offset]))
  }
  return mergeRanges(found.flat())
}

/** Cuts behind line ends only. All secrets but private keys stand on one line. */
function* chunksOf(text: string): Generator<{ offset: number; chunk: string }> {
  for (let offset = 0; offset < text.length; ) {
    const lineEnd = text.indexOf('\n', offset + CHUNK_CHARACTERS)
    const end = lineEnd < 0 ? text.length : lineEnd + 1
    yield { offset, chunk: text.slice(offset, end) }
    offset = end
  }
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
