import { cite, nameDeploy, type Signal, type SignalEntry, type SignalEvidence, sinceDeploy } from './evidence.ts'

/** The median of fewer requests moves by itself. */
const MIN_REQUESTS = 10
/** Less than twice the time is within what load, caches and neighbours do to a healthy endpoint. */
const MIN_FACTOR = 2
/** People notice about a tenth of a second. */
const MIN_SLOWER_MS = 100
const MAX_ENDPOINTS = 500
/** The newest of an endpoint, so that a busy one needs no more memory than others. */
const MAX_SAMPLES = 1_000
const MAX_NAMED = 3

/**
 * Finds endpoints that take longer since the live deploy, by the median of the times that the app logs. All of them are
 * one finding, because they have one cause: the revision.
 */
export function slowEndpoints(evidence: SignalEvidence): Signal[] {
  const { deploy, baseline } = evidence
  if (!deploy) return []
  const since = sinceDeploy(evidence, deploy)
  const plainUnitMs = unitOf([...baseline, ...since])
  const before = samplesOf(baseline, plainUnitMs)
  const slower = [...samplesOf(since, plainUnitMs)].flatMap(([endpoint, after]) => {
    const change = compare(before.get(endpoint) ?? [], after)
    return change ? [{ endpoint, ...change, samples: after }] : []
  })
  if (slower.length === 0) return []
  slower.sort((a, b) => b.after - b.before - (a.after - a.before))
  const named = slower.slice(0, MAX_NAMED).map(describe)
  const more = slower.length > MAX_NAMED ? `, and ${slower.length - MAX_NAMED} more endpoints` : ''
  const summary = `Slower since ${nameDeploy(deploy)}: ${named.join(', ')}${more}.`
  const lines = cite(slower[0]!.samples.map(({ entry }) => entry))
  return [{ kind: 'slow_endpoint', template: deploy.revisionId, summary, lines, covers: [] }]
}

type Sample = { readonly ms: number; readonly entry: SignalEntry }
type Change = { readonly before: number; readonly after: number }

/** Requests that are answered faster than this exist in every log of milliseconds, and hardly in one of microseconds. */
const MIN_PLAIN_MICROSECONDS = 200

/** Milliseconds of one unit of durations that are logged without a unit. */
function unitOf(entries: readonly SignalEntry[]): number {
  const isMicroseconds = entries.every(({ request }) => (request?.plainDuration ?? Infinity) >= MIN_PLAIN_MICROSECONDS)
  return isMicroseconds ? 0.001 : 1
}

/** Requests that were refused or failed are left out, because they are answered before the work is done. */
function samplesOf(entries: readonly SignalEntry[], plainUnitMs: number): Map<string, Sample[]> {
  const byEndpoint = new Map<string, Sample[]>()
  for (const entry of entries) {
    const { endpoint, status = 200, durationMs, plainDuration } = entry.request ?? {}
    const ms = durationMs ?? (plainDuration === undefined ? undefined : plainDuration * plainUnitMs)
    if (endpoint === undefined || ms === undefined || status >= 400) continue
    const samples = byEndpoint.get(endpoint)
    if (samples) samples.push({ ms, entry })
    else if (byEndpoint.size < MAX_ENDPOINTS) byEndpoint.set(endpoint, [{ ms, entry }])
    if (samples && samples.length > 2 * MAX_SAMPLES) samples.splice(0, MAX_SAMPLES)
  }
  return byEndpoint
}

function compare(before: readonly Sample[], after: readonly Sample[]): Change | undefined {
  if (Math.min(before.length, after.length) < MIN_REQUESTS) return undefined
  const change = { before: medianOf(before), after: medianOf(after) }
  const isSlower = change.after >= MIN_FACTOR * change.before && change.after >= change.before + MIN_SLOWER_MS
  return isSlower ? change : undefined
}

function medianOf(samples: readonly Sample[]): number {
  const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

function describe({ endpoint, before, after }: Change & { readonly endpoint: string }): string {
  return `${endpoint} took ${Math.round(before)} ms and takes ${Math.round(after)} ms`
}
