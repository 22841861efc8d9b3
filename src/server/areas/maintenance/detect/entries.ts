import { letOthersRun } from '#lib/async/let-others-run.ts'
import type { Frame } from './frames.ts'
import { joinTraces, type LogLine } from './join-traces.ts'
import { readLine } from './read-line.ts'
import { severityOf } from './severity.ts'
import { templateOf } from './template.ts'

/** One message of a log, with its stack trace if it has one. */
export type LogEntry = {
  readonly at: Date
  /** How grave it is, which can differ from the level it was stored with. */
  readonly level: string
  readonly template: string
  readonly frames: readonly Frame[]
  readonly text: string
  /** The revision that wrote it. Null if that is not stated. */
  readonly revisionId: string | null
}

/** Reading this many characters takes a few milliseconds, a short line as long as 200 of them. */
const CHARACTERS_PER_TURN = 32 * 1024
const CHARACTERS_OF_A_LINE = 200

/** Reads lines as entries, in their order. Other work of this process goes on meanwhile. */
export async function readEntries(lines: readonly LogLine[]): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  let characters = 0
  for (const { at, level: stored, text, revisionId = null } of joinTraces(lines)) {
    characters += text.length + CHARACTERS_OF_A_LINE
    if (characters > CHARACTERS_PER_TURN) {
      characters = 0
      await letOthersRun()
    }
    const { message, frames } = readLine(text)
    const level = severityOf(stored, message, frames, text)
    entries.push({ at, level, template: templateOf(message), frames, text, revisionId })
  }
  return entries
}
