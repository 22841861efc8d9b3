import { cite, nameDeploy, type Signal, type SignalEntry, type SignalEvidence, sinceDeploy } from './evidence.ts'

/** Fewer errors than this happen in a quiet hour of any app. */
const MIN_ERRORS = 5
/** From this number on an error has a finding of its own. */
const MIN_NEW_ERRORS = 3
/** Traffic doubles between night and day by itself, so errors must have become more than that. */
const MIN_FACTOR = 3
/** With fewer requests on one side a share of them says nothing, and errors are counted by the hour. */
const MIN_REQUESTS = 20
/** Fewer than one failed request in a hundred is the background of an app that strangers use. */
const MIN_SHARE = 0.01
/** A shorter time before the deploy is no time to compare with. */
const MIN_BASELINE_HOURS = 1
const HOUR_MS = 3_600_000
const MAX_TEMPLATES = 200

/**
 * Finds that errors became more frequent with the live deploy: logged errors and answers of 500 and above, by request
 * where the app logs requests and by hour where it does not. `covers` are the templates that became more frequent.
 */
export function errorsAfterDeploy(evidence: SignalEvidence): Signal[] {
  const { deploy, baseline, now } = evidence
  const first = baseline[0]
  if (!deploy || !first) return []
  const since = sinceDeploy(evidence, deploy)
  const span: Span = {
    requests: { before: countRequests(baseline), after: countRequests(since) },
    hours: { before: hoursOf(first.at, deploy.liveAt), after: hoursOf(since[0]?.at ?? now, now) },
  }
  const rise = compareWith(span)
  const counts = countErrors(baseline, since)
  const all = rise(counts.all)
  const isRisen = (count: Count) => rise(count) !== undefined || (all !== undefined && isNew(count))
  const covers = [...counts.byTemplate].filter(([, count]) => isRisen(count)).map(([template]) => template)
  if (all === undefined && covers.length === 0) return []
  const pooled = counts.byTemplate.get(covers[0] ?? '') ?? counts.all
  const summary = `Errors rose with ${nameDeploy(deploy)}: ${all ?? rise(pooled)}`
  const lines = cite(since.filter(isError))
  return [{ kind: 'errors_after_deploy', template: deploy.revisionId, summary, lines, covers }]
}

/** Where all errors together became more frequent, one that was never logged before belongs to them. */
function isNew({ before, after }: Count): boolean {
  return before === 0 && after >= MIN_NEW_ERRORS
}

type Count = { before: number; after: number }
type Span = { readonly requests: Count; readonly hours: Count }

/**
 * Returns the comparison as text, or undefined if the errors are not more. One more error before the deploy is assumed
 * than was seen, because none in a few requests is no proof that there were none.
 */
function compareWith({ requests, hours }: Span) {
  const byRequest = Math.min(requests.before, requests.after) >= MIN_REQUESTS
  const exposure = byRequest ? requests : hours
  return ({ before, after }: Count): string | undefined => {
    if (!byRequest && hours.before < MIN_BASELINE_HOURS) return undefined
    if (after < MIN_ERRORS || after * exposure.before < MIN_FACTOR * (before + 1) * exposure.after) return undefined
    if (byRequest && after < requests.after * MIN_SHARE) return undefined
    return byRequest
      ? `${after} errors in ${requests.after} requests since then, ${before} in ${requests.before} before.`
      : `${after} errors in ${hours.after.toFixed(1)} hours since then, ${before} in ${hours.before.toFixed(1)} before.`
  }
}

function countErrors(before: readonly SignalEntry[], after: readonly SignalEntry[]) {
  const all: Count = { before: 0, after: 0 }
  const byTemplate = new Map<string, Count>()
  for (const [side, entries] of [
    ['after', after],
    ['before', before],
  ] as const) {
    for (const entry of entries) {
      if (!isError(entry)) continue
      all[side]++
      if (entry.level !== 'error') continue
      const count = byTemplate.get(entry.template)
      if (count) count[side]++
      // Templates that are only in the baseline cannot have become more frequent.
      else if (side === 'after' && byTemplate.size < MAX_TEMPLATES)
        byTemplate.set(entry.template, { before: 0, after: 1 })
    }
  }
  return { all, byTemplate }
}

/** Frameworks log some failures as warnings, such as a job that raised: those count where they name an exception. */
const EXCEPTION = /\b[A-Z]\w{0,60}(?:Error|Exception)\b/

function isError({ level, request, text }: SignalEntry): boolean {
  if (level === 'error' || (request?.status ?? 0) >= 500) return true
  return level === 'warn' && EXCEPTION.test(text.slice(0, 2_000))
}

function countRequests(entries: readonly SignalEntry[]): number {
  return entries.reduce((count, { request }) => count + (request ? 1 : 0), 0)
}

/** At least a minute, so that nothing is divided by a time of zero. */
function hoursOf(from: Date, to: Date): number {
  return Math.max(to.getTime() - from.getTime(), 60_000) / HOUR_MS
}
