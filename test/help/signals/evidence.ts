import { readEntries } from '../../../src/server/areas/maintenance/detect/entries.ts'
import {
  type CheckRuns,
  type SignalEvidence,
  withRequests,
} from '../../../src/server/areas/maintenance/detect/signals/evidence.ts'

const NOW = new Date('2026-11-15T12:00:00Z')

export type Line = readonly [minutesAgo: number, text: string, level?: string]

/** Makes a line every `step` minutes, the first `from` minutes ago and the last after `to`. */
export function every(from: number, to: number, step: number, text: (n: number) => string, level = 'info'): Line[] {
  const count = Math.ceil((from - to) / step)
  return Array.from({ length: count }, (_, n): Line => [from - n * step, text(n), level])
}

export function minutesAgo(minutes: number): Date {
  return new Date(NOW.getTime() - minutes * 60_000)
}

type AppHistory = {
  readonly lines?: readonly Line[]
  /** How many minutes ago the live deploy went live. */
  readonly deployed?: number
  readonly checks?: readonly CheckRuns[]
}

const DAY = 24 * 60

/** Makes the evidence of an app as the tool of runs reads it. */
export async function evidenceOf({ lines = [], deployed, checks = [] }: AppHistory): Promise<SignalEvidence> {
  const between = async (from: number, to: number) =>
    withRequests(
      await readEntries(
        lines
          .filter(([ago]) => ago <= from && ago > to)
          .toSorted((a, b) => b[0] - a[0])
          .map(([ago, text, level = 'info']) => ({ at: minutesAgo(ago), level, text })),
      ),
    )
  const deploy = deployed === undefined ? undefined : { id: 'dep_2', revisionId: 'rev_2', liveAt: minutesAgo(deployed) }
  return {
    now: NOW,
    recent: await between(DAY, -1),
    baseline: deployed === undefined ? [] : await between(deployed + DAY, deployed),
    deploy,
    deployTimes: deploy ? [deploy.liveAt] : [],
    checks,
  }
}
