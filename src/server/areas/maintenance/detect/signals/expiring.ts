import { cite, type Signal, type SignalEntry, type SignalEvidence } from './evidence.ts'
import { type Expiry, expiryOf } from './expiry-line.ts'

const DAY_MS = 24 * 3_600_000
/** Certificates are usually renewed a month before their end, so that at two weeks the renewal has failed for long. */
const MAX_DAYS = 14
/** The app itself thinks that it is time to warn. */
const MAX_DAYS_OF_WARNING = 30
const MAX_THINGS = 200

type Seen = {
  readonly expiry: Expiry & { readonly deadline: Date }
  readonly entry: SignalEntry
  readonly count: number
}

/**
 * Finds certificates and tokens that are about to expire. A line about a renewal ends what earlier lines said. Tokens
 * are issued all day in healthy apps, so a line about one counts only if it warns, or if the log counts down.
 */
export function expiring({ recent, now }: SignalEvidence): Signal[] {
  return [...newestOf(recent)].flatMap(([key, seen]): Signal[] => {
    if (!isFault(seen, now)) return []
    const { thing, subject, deadline } = seen.expiry
    const name = subject === '' ? `A ${thing}` : `The ${thing} ${thing === 'token' ? '' : 'of '}${subject}`
    const days = Math.floor((deadline.getTime() - now.getTime()) / DAY_MS)
    const day = deadline.toISOString().slice(0, 10)
    const summary = days < 0 ? `${name} expired on ${day}.` : `${name} expires on ${day}, in ${days} days.`
    // A certificate or token is no part of a revision, so the finding stays when another revision is live.
    const covers = seen.entry.level === 'error' ? [seen.entry.template] : []
    return [{ kind: 'expiring', template: key, summary, lines: cite([{ ...seen.entry, revisionId: null }]), covers }]
  })
}

function newestOf(entries: readonly SignalEntry[]): Map<string, Seen> {
  const things = new Map<string, Seen>()
  for (const entry of entries) {
    const expiry = expiryOf(entry.text, entry.at)
    if (!expiry) continue
    const key = `${expiry.thing} ${expiry.subject}`.trim()
    if (expiry.isRenewed) {
      forget(things, expiry)
      continue
    }
    const { deadline } = expiry
    const former = things.get(key)
    if (!deadline || (!former && things.size >= MAX_THINGS)) continue
    things.set(key, { expiry: { ...expiry, deadline }, entry, count: countOf(former, deadline) })
  }
  return things
}

/** Counts lines that give the same end. A later end means that the thing was renewed in between. */
function countOf(former: Seen | undefined, deadline: Date): number {
  if (!former) return 1
  return Math.abs(deadline.getTime() - former.expiry.deadline.getTime()) <= DAY_MS ? former.count + 1 : 1
}

/** A renewal without a name can be that of any. */
function forget(things: Map<string, Seen>, { thing, subject }: Expiry): void {
  for (const [key, { expiry }] of things) {
    if (expiry.thing === thing && (subject === '' || expiry.subject === '' || expiry.subject === subject)) {
      things.delete(key)
    }
  }
}

function isFault({ expiry, entry, count }: Seen, now: Date): boolean {
  const { thing, deadline, isShort, isUrgent } = expiry
  const isWarning = entry.level === 'warn' || entry.level === 'error'
  const days = (deadline.getTime() - now.getTime()) / DAY_MS
  if (days > (isWarning ? MAX_DAYS_OF_WARNING : MAX_DAYS) || (isShort && !isWarning)) return false
  if (thing === 'certificate') return true
  return days > -1 && (isWarning || isUrgent || count > 1)
}
