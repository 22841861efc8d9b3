import type { AppLogs, ListCheckRuns, RedactorOf } from '#ports/apps.ts'
import { readEntries } from '../detect/entries.ts'
import { withRequests } from '../detect/signals/evidence.ts'
import { timeoutTarget } from '../detect/signals/timeout-line.ts'

export type ObserveDeps = {
  readonly logs: Pick<AppLogs, 'read'>
  readonly listCheckRuns: ListCheckRuns
  readonly redactorOf: RedactorOf
}

type Fault = { readonly app_id: string; readonly kind: string; readonly template: string }
type Window = { readonly since: Date; readonly until: Date }

const MAX_LOG_BYTES = 1024 * 1024
const MAX_CHECK_RUNS = 500
const CHECK = 'check '

/** Looks for a fault in a part of the time, and counts what would have shown it. One occurrence is enough. */
export async function observe(deps: ObserveDeps, fault: Fault, window: Window) {
  if (window.since >= window.until) return { requests: 0, seenAt: null }
  return fault.template.startsWith(CHECK) && fault.kind.endsWith('_check')
    ? observeCheck(deps, fault, window)
    : observeLog(deps, fault, window)
}

async function observeCheck({ listCheckRuns }: ObserveDeps, { app_id, template }: Fault, { since, until }: Window) {
  const history = await listCheckRuns(app_id, template.slice(CHECK.length), MAX_CHECK_RUNS)
  const runs = (history?.runs ?? []).filter(({ at }) => at >= since && at < until)
  return { requests: runs.length, seenAt: runs.findLast(({ verdict }) => verdict === 'fail')?.at ?? null }
}

/** Secrets are hidden first, as they were when the template of the fault was made. */
async function observeLog({ logs, redactorOf }: ObserveDeps, fault: Fault, { since, until }: Window) {
  const { lines } = await logs.read(fault.app_id, { since, until, words: [], level: null }, MAX_LOG_BYTES)
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
