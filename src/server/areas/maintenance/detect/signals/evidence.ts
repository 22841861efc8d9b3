import type { SIGNAL_KINDS } from '#contract/maintenance/finding-kinds.ts'
import { letOthersRun } from '#lib/async/let-others-run.ts'
import type { LogEntry } from '../entries.ts'
import type { RequestLine } from './request-line.ts'
import { createWorkReader } from './work-line.ts'

/** A deploy that went live. */
type LiveDeploy = { readonly id: string; readonly revisionId: string; readonly liveAt: Date }

export type CheckRuns = {
  readonly name: string
  readonly state: string
  /** Newest first. */
  readonly runs: readonly { readonly at: Date; readonly verdict: string; readonly detail: string | null }[]
}

export type SignalEntry = LogEntry & { readonly request: RequestLine | undefined }

/** The input of the detectors of this folder. */
export type SignalEvidence = {
  readonly now: Date
  /** The last 24 hours, oldest first. */
  readonly recent: readonly SignalEntry[]
  /** The 24 hours before the live deploy. Empty if it is more than a week old. */
  readonly baseline: readonly SignalEntry[]
  /** The deploy that serves, if it went live within a week. */
  readonly deploy: LiveDeploy | undefined
  /** When any deploy went live in this week. */
  readonly deployTimes: readonly Date[]
  readonly checks: readonly CheckRuns[]
}

export type CitedLine = { readonly at: Date; readonly text: string; readonly revisionId?: string | null }

/** A fault that logs, checks and deploys show together. */
export type Signal = {
  readonly kind: (typeof SIGNAL_KINDS)[number]
  /** Identifies the fault within its kind over many nights. */
  readonly template: string
  readonly summary: string
  readonly lines: readonly CitedLine[]
  /** Templates of log lines that this signal explains, so that they are no findings of their own. */
  readonly covers: readonly string[]
}

/** Reading this many lines takes a few milliseconds. */
const LINES_PER_TURN = 500

/** Reads the entries that are about requests and jobs. Other work of this process goes on meanwhile. */
export async function withRequests(entries: readonly LogEntry[]): Promise<SignalEntry[]> {
  const found: SignalEntry[] = []
  const requestOf = createWorkReader()
  for (const entry of entries) {
    found.push({ ...entry, request: requestOf(entry.text) })
    if (found.length % LINES_PER_TURN === 0) await letOthersRun()
  }
  return found
}

/** Former instances may answer for a minute after the new one is live, and the first requests of a process are slow. */
const SETTLING_MS = 60_000

/** Entries that the live revision wrote, without those of its first minute. */
export function sinceDeploy({ recent }: SignalEvidence, { liveAt }: LiveDeploy): readonly SignalEntry[] {
  return recent.filter(({ at }) => at.getTime() >= liveAt.getTime() + SETTLING_MS)
}

const MAX_CITED = 3
const MAX_CITED_CHARACTERS = 300

/** Cites the newest of the entries. */
export function cite(entries: readonly CitedLine[]): CitedLine[] {
  return entries.slice(-MAX_CITED).map(({ at, text, revisionId }) => ({
    at,
    text: text.split('\n', 1)[0]!.slice(0, MAX_CITED_CHARACTERS).toWellFormed(),
    revisionId: revisionId ?? null,
  }))
}

export function nameDeploy({ id, revisionId }: LiveDeploy): string {
  return `deploy ${id} of revision ${revisionId}`
}
