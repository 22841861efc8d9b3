import type { Readable } from 'node:stream'
import { jsonOrUndefined } from '#lib/json-or-undefined.ts'
import { SharedLogRate } from '../../logs/log-rate.ts'
import { followLines } from './output-lines.ts'

/** Why everything of an app or a build has ended. `code` is null if a signal, a limit or svc ended it. */
export type ProcessEnd = {
  readonly code: number | null
  readonly description: string
  /** `itself` includes signals; `limit`: it used more than it may; `svc`: it is not to blame for its end. */
  readonly by: 'itself' | 'limit' | 'svc'
  /** Whether the process that kept it ended, or lost it to another server. */
  readonly isLost?: true
  /** Whether it has not ended at all: this server only lost sight of it. */
  readonly goesOn?: true
}

/** The end of an instance for a server whose place another one has taken. */
export const HOSTED_ELSEWHERE: ProcessEnd = {
  code: null,
  description: 'another process of svc hosts it',
  by: 'svc',
  isLost: true,
  goesOn: true,
}

/** How long a process may take to end after it said that the app did. Our script ends at once, an app that says so may not. */
const ENDING_MS = 5_000

/** Reads what our script reports. An app can write there too, so nothing of it is believed beyond the app itself. */
export function readStatus(
  stream: Readable,
  former?: Buffer,
  now: () => number = () => performance.now(),
): {
  ready: Promise<void>
  exit: () => ProcessEnd | undefined
  /** Whether the end of everything was reported a moment ago. Not for ever: the report may be false. */
  isEnding: () => boolean
  /** Whether a connection to the outside was refused, because there is no network. */
  triedNetwork: () => boolean
  /** Returns what was read and is no whole line. */
  rest: () => Buffer
} {
  const ready = Promise.withResolvers<void>()
  let end: ProcessEnd | undefined
  let endReportedAt: number | undefined
  let triedNetwork = false
  const onStatus = (line: string) => {
    const status = parse(line)
    if (status.ready === true) ready.resolve()
    else if (typeof status.failed === 'string') {
      // Control characters, such as zero, cannot be stored, and the others are not for people to read.
      const reason = status.failed.slice(0, 500).replace(/\p{C}+/gu, ' ')
      ready.reject(new Error(reason))
      end ??= { code: null, description: `it could not be run: ${reason}`, by: 'svc' }
    }
    triedNetwork ||= status.network === true
    if (status.exit !== undefined) end ??= describe(status.exit)
    if (end) endReportedAt ??= now()
  }
  const { rest } = followLines(stream, {
    onLine: onStatus,
    rate: new SharedLogRate().ofStream(''),
    rest: former,
  })
  const isEnding = () => endReportedAt !== undefined && now() < endReportedAt + ENDING_MS
  return { ready: ready.promise, exit: () => end, isEnding, triedNetwork: () => triedNetwork, rest }
}

/** A status that was not checked yet. */
type Unchecked = { readonly [name in 'ready' | 'failed' | 'exit' | 'network']?: unknown }

function parse(line: string): Unchecked {
  const value = jsonOrUndefined(line)
  return typeof value === 'object' && value !== null ? value : {}
}

const SIGNAL = /^SIG[A-Z0-9]{1,12}$/

function describe(exit: unknown): ProcessEnd {
  const { code, signal } = typeof exit === 'object' && exit !== null ? (exit as Record<string, unknown>) : {}
  if (typeof code === 'number') return { code, description: `exit code ${code}`, by: 'itself' }
  const name = typeof signal === 'string' && SIGNAL.test(signal) ? `signal ${signal}` : 'an unknown signal'
  return { code: null, description: name, by: 'itself' }
}
