import { cite, type Signal, type SignalEntry, type SignalEvidence } from './evidence.ts'
import { timeoutException, timeoutTarget } from './timeout-line.ts'

/** One or two happen in every network. */
const MIN_ERRORS = 3
/** Warnings are often about attempts that a later one made good. */
const MIN_WITH_WARNINGS = 5
/** Fewer than one in a hundred requests is the background of any network. */
const MIN_SHARE = 0.01
const MIN_REQUESTS = 100
/** A shorter time is one interruption. It counts only while it may still go on. */
const MIN_SPREAD_MS = 5 * 60_000
const MAX_TARGETS = 200

type Target = {
  /** False if the log names only the exception. */
  readonly isNamed: boolean
  errors: number
  warnings: number
  first: Date
  last: Date
  entries: SignalEntry[]
  templates: Set<string>
}

/** Finds what the app waits for in vain, one finding for each host, service or exception that the log names. */
export function dependencyTimeouts(evidence: SignalEvidence): Signal[] {
  const isFault = judgeWith(evidence)
  return [...targetsOf(evidence.recent)].flatMap(([name, target]): Signal[] => {
    if (!isFault(target)) return []
    const count = target.errors + target.warnings
    const times = `${count} times in the last day.`
    const summary = target.isNamed ? `${name} did not answer in time, ${times}` : `Calls end with ${name}, ${times}`
    return [
      {
        kind: 'dependency_timeout',
        template: name,
        summary,
        lines: cite(target.entries),
        covers: [...target.templates],
      },
    ]
  })
}

/** Returns the templates of errors that only speak of interruptions that are over. */
export function endedInterruptions(evidence: SignalEvidence): string[] {
  const isFault = judgeWith(evidence)
  const targets = [...targetsOf(evidence.recent).values()]
  const faults = new Set(targets.filter(isFault).flatMap(({ templates }) => [...templates]))
  const ended = new Set(targets.filter((target) => !isFault(target)).flatMap(({ templates }) => [...templates]))
  return [...ended].filter((template) => !faults.has(template))
}

function judgeWith({ recent, now }: SignalEvidence): (target: Target) => boolean {
  const requests = recent.reduce((count, { request }) => count + (request ? 1 : 0), 0)
  return ({ errors, warnings, first, last }) => {
    const isOften = errors >= MIN_ERRORS || errors + warnings >= MIN_WITH_WARNINGS
    const isRare = requests >= MIN_REQUESTS && errors + warnings < requests * MIN_SHARE
    const isOver = last.getTime() - first.getTime() < MIN_SPREAD_MS && now.getTime() - last.getTime() > MIN_SPREAD_MS
    return isOften && !isRare && !isOver
  }
}

function targetsOf(entries: readonly SignalEntry[]): Map<string, Target> {
  const targets = new Map<string, Target>()
  for (const entry of entries) {
    if (entry.level !== 'error' && entry.level !== 'warn') continue
    const service = timeoutTarget(entry.text)
    // An error has a finding of its own. Of a warning this is all that is known.
    const name = service ?? (entry.level === 'warn' ? timeoutException(entry.text) : undefined)
    if (name === undefined) continue
    const target = targets.get(name) ?? newTarget(entry, service !== undefined)
    if (!targets.has(name) && targets.size >= MAX_TARGETS) continue
    targets.set(name, target)
    countEntry(target, entry)
  }
  return targets
}

function newTarget({ at }: SignalEntry, isNamed: boolean): Target {
  return { isNamed, errors: 0, warnings: 0, first: at, last: at, entries: [], templates: new Set() }
}

function countEntry(target: Target, entry: SignalEntry): void {
  target.last = entry.at
  target.entries = [...target.entries.slice(-2), entry]
  if (entry.level === 'error') target.errors++
  else target.warnings++
  if (entry.level === 'error' && target.templates.size < 20) target.templates.add(entry.template)
}
