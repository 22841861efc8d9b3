import { cite, type Signal, type SignalEntry, type SignalEvidence } from './evidence.ts'
import { memoryOf } from './memory-line.ts'

/** A program says so itself, or svc does that ended it. */
const OUT_OF_MEMORY =
  /heap out of memory|Reached heap limit|\bOOM[ -]?Kill(?:ed)?\b|(?<!perhaps )\bout of memory\b|used more than \d{1,9} MB of memory|\b(?:No)?MemoryError\b|OutOfMemory(?:Error|Exception)|(?:cannot|failed to) allocate (?:memory|\d{1,20} bytes)|Allowed memory size of \d{1,20} bytes exhausted|memory allocation of \d{1,20} bytes failed|memory (?:quota|limit) (?:vastly )?exceeded/i
/** Ends that a lack of memory can cause, which alone prove nothing. A shell writes the number of the process first. */
const KILLED =
  /\bSIGKILL\b|\bSIGABRT\b|\bsignal:? (?:9\b|killed)|\bstatus=9\/KILL\b|exit(?:ed)?(?: with)?(?: code| status)?[ :=]+(?:137|134)\b|^Killed$|\bline \d{1,6}: {1,8}\d{1,9} Killed\b/i
/** Fewer figures show no direction. */
const MIN_SAMPLES = 4
/** Caches fill up and stay below this in a healthy process. */
const MIN_FACTOR = 1.5
const MAX_SAMPLES = 512
/** Runtimes write several lines about one end. */
const NEAR_MS = 2_000
const MAX_COVERED = 100

type Sample = { readonly megabytes: number; readonly entry: SignalEntry }
type End = { readonly entry: SignalEntry; readonly growth: readonly Sample[] | undefined }

/**
 * Finds that the app ended for lack of memory. Where its log states how much it used, the growth before that is shown,
 * and an end by a signal or with 137 or 134 counts as well. Growth alone is none, because it may stop.
 */
export function memoryGrowth({ recent }: SignalEvidence): Signal[] {
  const ends = findEnds(recent)
  const last = ends.at(-1)
  if (!last) return []
  const growth = ends.findLast((end) => end.growth)?.growth
  const times = ends.length === 1 ? 'once' : `${ends.length} times`
  const shownGrowth = growth ? [growth[0]!, peakOf(growth)] : []
  const figures = growth ? ` It grew from ${shownGrowth.map(show).join(' to ')} before.` : ''
  const summary = `The app ran out of memory and ended, ${times} in the last day.${figures}`
  const shown = [...shownGrowth.map(({ entry }) => entry), last.entry]
  return [{ kind: 'memory_growth', template: '', summary, lines: cite(shown), covers: covered(recent, ends) }]
}

function findEnds(entries: readonly SignalEntry[]): End[] {
  const ends: End[] = []
  let samples = new Map<string, Sample[]>()
  for (const entry of entries) {
    const isOut = entry.level === 'error' && OUT_OF_MEMORY.test(entry.text)
    if (!isOut && !KILLED.test(entry.text)) {
      addSample(samples, entry)
      continue
    }
    const growth = [...samples.values()].find(hasGrown)
    const isSameEnd = ends.length > 0 && entry.at.getTime() - ends.at(-1)!.entry.at.getTime() <= NEAR_MS
    if ((isOut || growth) && !isSameEnd) ends.push({ entry, growth })
    samples = new Map()
  }
  return ends
}

/** Every second sample goes when there are too many, so that those of the whole life of a process stay. */
function addSample(samples: Map<string, Sample[]>, entry: SignalEntry): void {
  const stated = memoryOf(entry.text)
  if (!stated) return
  const found = samples.get(stated.name) ?? []
  const room = found.length < MAX_SAMPLES ? found : found.filter((_, index) => index % 2 === 0)
  room.push({ megabytes: stated.megabytes, entry })
  samples.set(stated.name, room)
}

/** Compares the middle of the first quarter with that of the last, because collectors free memory now and then. */
function hasGrown(samples: readonly Sample[]): boolean {
  if (samples.length < MIN_SAMPLES) return false
  const quarter = Math.max(1, Math.floor(samples.length / 4))
  return middleOf(samples.slice(-quarter)) >= MIN_FACTOR * middleOf(samples.slice(0, quarter))
}

function middleOf(samples: readonly Sample[]): number {
  const sorted = samples.map(({ megabytes }) => megabytes).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

function peakOf(samples: readonly Sample[]): Sample {
  return samples.reduce((peak, sample) => (sample.megabytes > peak.megabytes ? sample : peak))
}

/** Templates of the errors that were written about these ends. Both lists are sorted by time. */
function covered(entries: readonly SignalEntry[], ends: readonly End[]): string[] {
  const templates = new Set<string>()
  let next = 0
  for (const { at, level, template } of entries) {
    while (next < ends.length && ends[next]!.entry.at.getTime() + NEAR_MS < at.getTime()) next++
    if (next === ends.length) break
    const isNear = Math.abs(ends[next]!.entry.at.getTime() - at.getTime()) <= NEAR_MS
    if (isNear && level === 'error' && templates.size < MAX_COVERED) templates.add(template)
  }
  return [...templates]
}

function show({ megabytes }: Sample): string {
  return `${Math.round(megabytes)} MB`
}
