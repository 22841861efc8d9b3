import type { AppLogs, ListCheckRuns, RedactorOf } from '#ports/apps.ts'
import { readEntries } from '../detect/entries.ts'
import { withRequests } from '../detect/signals/evidence.ts'
import { timeoutTarget } from '../detect/signals/timeout-line.ts'
import type { Observed } from './judge.ts'

export type ObserveDeps = {
  readonly logs: Pick<AppLogs, 'read'>
  readonly listCheckRuns: ListCheckRuns
  readonly redactorOf: RedactorOf
}

type Fault = { readonly app_id: string; readonly kind: string; readonly template: string }
type Window = { readonly since: Date; readonly until: Date }

const MAX_LOG_BYTES = 1024 * 1024
/** A window with more lines than fit into one read is read in halves, so often at most. */
const MAX_READS = 16
const MAX_CHECK_RUNS = 500
const CHECK = 'check '

/**
 * Looks for a fault in a part of the time, and counts what would have shown it. One occurrence is enough. `isComplete` is
 * false if something that could show it was not read.
 */
export async function observe(deps: ObserveDeps, fault: Fault, window: Window): Promise<Observed> {
  if (window.since >= window.until) return NOTHING
  return fault.template.startsWith(CHECK) && fault.kind.endsWith('_check')
    ? observeCheck(deps, fault, window)
    : observeLog(deps, fault, window)
}

/** A run that could not judge the app, such as one in error, says nothing about the fault. */
async function observeCheck({ listCheckRuns }: ObserveDeps, { app_id, template }: Fault, { since, until }: Window) {
  const all = (await listCheckRuns(app_id, template.slice(CHECK.length), MAX_CHECK_RUNS))?.runs ?? []
  const runs = all.filter(({ at, verdict }) => at >= since && at < until && (verdict === 'pass' || verdict === 'fail'))
  return {
    requests: runs.length,
    seenAt: runs.findLast(({ verdict }) => verdict === 'fail')?.at ?? null,
    isComplete: all.length < MAX_CHECK_RUNS || all.at(-1)!.at < since,
  }
}

async function observeLog(deps: ObserveDeps, fault: Fault, window: Window): Promise<Observed> {
  const waiting = [window]
  let observed = NOTHING
  for (let reads = 0; waiting.length > 0; reads++) {
    const part = waiting.shift()!
    const { since, until } = part
    const query = { since, until, words: [], level: null }
    const { lines, isComplete } = await deps.logs.read(fault.app_id, query, MAX_LOG_BYTES)
    const halves = isComplete || reads + 1 + waiting.length + 2 > MAX_READS ? [] : halvesOf(part)
    waiting.unshift(...halves)
    if (halves.length > 0) continue
    observed = joined(observed, { ...(await findIn(deps, fault, lines)), isComplete })
    if (observed.seenAt !== null) return observed
  }
  return observed
}

/** Returns none if the window cannot be divided. */
function halvesOf({ since, until }: Window): Window[] {
  const middle = new Date(Math.floor((since.getTime() + until.getTime()) / 2))
  return middle > since
    ? [
        { since, until: middle },
        { since: middle, until },
      ]
    : []
}

const NOTHING: Observed = { requests: 0, seenAt: null, isComplete: true }

function joined(one: Observed, other: Observed): Observed {
  return {
    requests: one.requests + other.requests,
    seenAt: one.seenAt ?? other.seenAt,
    isComplete: one.isComplete && other.isComplete,
  }
}

type Lines = Awaited<ReturnType<AppLogs['read']>>['lines']

/** Secrets are hidden first, as they were when the template of the fault was made. */
async function findIn({ redactorOf }: ObserveDeps, fault: Fault, lines: Lines) {
  const texts = await (await redactorOf(fault.app_id)).entries(lines.map(({ text }) => text))
  const entries = await withRequests(await readEntries(lines.map((line, index) => ({ ...line, text: texts[index]! }))))
  const isFault = ({ level, template, text }: (typeof entries)[number]) =>
    fault.kind === 'dependency_timeout'
      ? timeoutTarget(text) === fault.template
      : level === 'error' && template === fault.template
  return {
    requests: entries.filter(({ request }) => request !== undefined).length,
    seenAt: entries.find(isFault)?.at ?? null,
  }
}
