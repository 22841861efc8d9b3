import { statedLevel } from '#lib/log/stated-level.ts'
import type { Frame } from './frames.ts'

/** Matches text that begins with the name of an error, such as `TypeError: ` or `java.io.IOException: `. */
const ERROR_NAME = /^(?:Uncaught )?(?:[\w$]{1,60}\.){0,8}[\w$]{0,60}(?:Error|Exception)(?: \[\w{1,60}\])?(?::|$)/
const STATED_LEVEL =
  /^\W{0,40}(?:[\d:.,+TZ -]{8,40}\W{0,4})?(?:error|err|fatal|critical|panic|severe)\b|\blevel=\W?(?:error|fatal|panic)\b/i
const WARNING = /\b(?:\w{0,40}Warning|warn|deprecated)\b/i
const FAILURE =
  /error|exception|fail|fatal|panic|crash|abort|cannot|can't|could ?n[o']t|unable|refused|denied|declined|reject|time(?:d ?)?-?out|ECONN|invalid|missing|not (?:found|set|defined|exist)|unknown|undefined|unavailable|unexpected|unhandled|uncaught|exceeded|corrupt|conflict|duplicate|lost|broken|no such|out of memory|killed|exited|dead/i

/**
 * Returns how grave an entry is. All that an app prints to its standard error is stored as an error, also notices, warnings
 * and chatter. There the level that the line states counts; where it states none, it must have a stack trace or speak of
 * a failure. A printed exception with its stack trace is an error, whatever it was stored as.
 */
export function severityOf(level: string, message: string, frames: readonly Frame[], text: string): string {
  if (ERROR_NAME.test(message) && frames.length > 0) return 'error'
  if (level !== 'error') return level
  const stated = statedLevel(text.split('\n', 1)[0]!)
  if (stated !== undefined) return stated
  if (frames.length > 0 || text.startsWith('{') || STATED_LEVEL.test(text.slice(0, 200))) return level
  return WARNING.test(message) || !FAILURE.test(message) ? 'warn' : level
}
