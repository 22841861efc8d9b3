import { statedLevel } from '#lib/log/stated-level.ts'
import type { Frame } from './frames.ts'

/** Matches text that begins with the name of an error, such as `TypeError: ` or `java.io.IOException: `. */
const ERROR_NAME = /^(?:Uncaught )?(?:[\w$]{1,60}\.){0,8}[\w$]{0,60}(?:Error|Exception)(?: \[\w{1,60}\])?(?::|$)/
const STATED_LEVEL =
  /^\W{0,40}(?:[\d:.,+TZ -]{8,40}\W{0,4})?(?:error|err|fatal|critical|panic|severe)\b|\blevel=\W?(?:error|fatal|panic)\b/i
const MAX_CHARACTERS = 1_000
const WARNING = /\b(?:\w{0,40}Warning|warn|deprecated)\b/i
const FAILURE =
  /error|exception|fail|fatal|panic|crash|abort|cannot|can't|could ?n[o']t|unable|refused|denied|declined|reject|time(?:d ?)?-?out|ECONN|invalid|missing|not (?:found|set|defined|exist)|unknown|undefined|unavailable|unexpected|unhandled|uncaught|exceeded|corrupt|conflict|duplicate|lost|broken|no such|out of memory|killed|exited|dead/i

/**
 * Failures that clients cause, which frameworks and nginx log as errors: a client that went away, an address that the app
 * does not have, and requests and handshakes that are refused.
 */
const CAUSED_BY_CLIENT =
  /\bClientAbortException\b|\babortIncoming\b|\bclient (?:disconnected|aborted|closed|went away|intended to send)|\b(?:NotFoundHttpException|NoRouteError|RoutingError|ResourceNotFound)\b|\bno route (?:found|matches)\b|\bfailed \(2: No such file or directory\), client: |\baccess forbidden by rule\b|\bSSL_do_handshake\(\) failed\b|\b(?:status|code|response|answered|returned|failed)\b[^\n]{0,120}[ =:](?:404|410)$/i

/**
 * Returns how grave an entry is. All that an app prints to its standard error is stored as an error, also notices, warnings
 * and chatter. There the level that the line states counts; where it states none, it must have a stack trace or speak of
 * a failure. A printed exception with its stack trace is an error, whatever it was stored as. Failures that clients cause
 * are warnings.
 */
export function severityOf(level: string, message: string, frames: readonly Frame[], text: string): string {
  if (CAUSED_BY_CLIENT.test(text.slice(0, MAX_CHARACTERS))) return level === 'error' ? 'warn' : level
  if (ERROR_NAME.test(message) && frames.length > 0) return 'error'
  if (level !== 'error') return level
  const stated = statedLevel(text.split('\n', 1)[0]!)
  if (stated !== undefined) return stated
  if (frames.length > 0 || text.startsWith('{') || STATED_LEVEL.test(text.slice(0, 200))) return level
  return WARNING.test(message) || !FAILURE.test(message) ? 'warn' : level
}
