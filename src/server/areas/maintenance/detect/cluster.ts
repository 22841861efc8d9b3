import { letOthersRun } from '#lib/async/let-others-run.ts'
import { joinTraces, type LogLine } from './join-traces.ts'
import { type Frame, readLine } from './read-line.ts'
import { severityOf } from './severity.ts'
import { templateOf } from './template.ts'

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

/** Reading this many characters takes a few milliseconds, a short line as long as 200 of them. */
const CHARACTERS_PER_TURN = 32 * 1024
const CHARACTERS_OF_A_LINE = 200

/**
 * Groups lines by level and template: the most severe first, then the most frequent. Other work of this process goes on
 * meanwhile.
 */
export async function clusterLines(lines: readonly LogLine[]): Promise<LogCluster[]> {
  const clusters = new Map<string, LogCluster>()
  let characters = 0
  for (const { at, level: stored, text } of joinTraces(lines)) {
    characters += text.length + CHARACTERS_OF_A_LINE
    if (characters > CHARACTERS_PER_TURN) {
      characters = 0
      await letOthersRun()
    }
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
