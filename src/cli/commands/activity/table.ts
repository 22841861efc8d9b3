import type { ActivityRecord } from '#contract/activity.ts'
import type { Cli } from '../../terminal/cli.ts'

type Emails = ReadonlyMap<string, string>

/** Columns of a list of calls, of functions or of data sources. */
export function activityTable(target: 'FUNCTION' | 'DATA SOURCE', emails: Emails) {
  return {
    header: ['WHEN', target, 'BY', 'FROM', 'STATUS', 'MS', 'BYTES'],
    cut: ['BY'],
    row: (call: ActivityRecord, cli: Cli) => [cli.time(call.asked_at), ...cellsOf(call, emails)],
  }
}

/** Returns what is known about a call: target, person, way, status, duration and size. */
export function cellsOf(call: ActivityRecord, emails: Emails): string[] {
  const by = (call.user_id && emails.get(call.user_id)) ?? call.user_id ?? call.principal.id
  const figures = [call.status, call.duration_ms, call.answer_bytes]
  return [call.target, by, call.source, ...figures.map((value) => value?.toString() ?? '-')]
}
