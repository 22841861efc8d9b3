import { joinTraces } from './join-traces.ts'
import { type Frame, readLine } from './read-line.ts'
import { severityOf } from './severity.ts'
import { templateOf } from './template.ts'

type LogLine = { readonly at: Date; readonly level: string; readonly text: string }

/** Lines with one template. */
export type LogCluster = {
  readonly template: string
  readonly level: string
  readonly count: number
  readonly first_at: Date
  readonly last_at: Date
  /** Where the newest of them comes from. */
  readonly frames: readonly Frame[]
}

const SEVERITY = ['error', 'warn', 'info', 'debug']

/** Groups lines by level and template: the most severe first, then the most frequent. */
export function clusterLines(lines: readonly LogLine[]): LogCluster[] {
  const clusters = new Map<string, LogCluster>()
  for (const { at, level: stored, text } of joinTraces(lines)) {
    const { message, frames } = readLine(text)
    const level = severityOf(stored, message, frames, text)
    const template = templateOf(message)
    const key = `${level} ${template}`
    const { count = 0, first_at = at, last_at = at, frames: earlier = [] } = clusters.get(key) ?? {}
    clusters.set(key, {
      template,
      level,
      count: count + 1,
      first_at: at < first_at ? at : first_at,
      last_at: at > last_at ? at : last_at,
      frames: frames.length > 0 ? frames : earlier,
    })
  }
  return [...clusters.values()].sort(
    (a, b) => SEVERITY.indexOf(a.level) - SEVERITY.indexOf(b.level) || b.count - a.count,
  )
}
