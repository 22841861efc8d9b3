import { letOthersRun } from '#lib/async/let-others-run.ts'
import { createOwnValueSearch } from './own-values/own-values.ts'
import { findPrivateKeys } from './private-keys.ts'
import { maskRanges, mergeRanges, type Range, rangesWithin } from './ranges.ts'
import { findByRules } from './rules.ts'
import { findByServices } from './secretlint.ts'

/** Searching this much takes some milliseconds. */
const CHUNK_CHARACTERS = 32 * 1024
/** Chunks of a line that is longer than one overlap by this many characters, more than a secret has. */
const OVERLAP_CHARACTERS = 8 * 1024

/** Finds and hides secrets and personal data in texts of one app. */
export type Redactor = {
  /**
   * Returns where the secrets are, sorted and without overlaps. Give it whole files and whole logs and cut afterwards: a
   * part of a key cannot be recognised. Large texts are searched in parts, between which other work of this process goes on.
   */
  readonly find: (text: string) => Promise<Range[]>
  /** Hides secrets. The text keeps its lines. */
  readonly text: (text: string) => Promise<string>
  /** Hides values of the app's own variables only, in what people wrote for the model. */
  readonly ownValues: (text: string) => string
  /** Hides secrets in entries of a log, also one that several entries make up together. */
  readonly entries: (entries: readonly string[]) => Promise<string[]>
}

/** Hides what rules recognise and, in any common encoding, the values of the app's own variables, given by name. */
export function createRedactor(variables: Readonly<Record<string, string>>): Redactor {
  const findOwnValues = createOwnValueSearch(variables)
  const find = async (text: string) => {
    const found = [findPrivateKeys(text), findOwnValues(text)]
    for (const { offset, chunk } of chunksOf(text)) {
      if (offset > 0) await letOthersRun()
      const ranges = [...findByRules(chunk), ...(await findByServices(chunk))]
      found.push(ranges.map(([start, end]) => [start + offset, end + offset]))
    }
    return mergeRanges(found.flat())
  }
  return {
    find,
    text: async (text) => maskRanges(text, await find(text)),
    ownValues: (text) => maskRanges(text, mergeRanges(findOwnValues(text))),
    entries: async (entries) => maskEntries(entries, await find(entries.join('\n'))),
  }
}

/** Cuts behind line ends where it can. All secrets but private keys and values of variables stand on one line. */
function* chunksOf(text: string): Generator<{ offset: number; chunk: string }> {
  for (let offset = 0; offset < text.length; ) {
    const cut = offset + CHUNK_CHARACTERS
    const end = Math.min(cut + OVERLAP_CHARACTERS, text.length)
    const lineEnd = text.slice(cut, end).indexOf('\n')
    const isCut = lineEnd < 0 && end < text.length
    const next = lineEnd < 0 ? end : cut + lineEnd + 1
    yield { offset, chunk: text.slice(offset, next) }
    offset = isCut ? cut : next
  }
}

/** `secrets` are ranges of the entries joined by line ends. */
function maskEntries(entries: readonly string[], secrets: readonly Range[]): string[] {
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
