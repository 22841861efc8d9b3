import { daysBetween, MIN_DEPRECATION_DAYS } from '../../src/contract/core/deprecation.ts'

/**
 * Returns the changes between two descriptions of the API (see contract-lines.ts) by which a client of the former could
 * fail: an operation or a part of an answer is gone, or a request that was accepted is refused. A new value in an answer
 * is none, and neither is a value that no answer has any more: clients must ignore what they do not know. An operation
 * that was announced as deprecated for long enough on `today` may be removed.
 */
export function findBreaking(before: readonly string[], after: readonly string[], today: string): string[] {
  const [former, current] = [new Set(before), new Set(after)]
  const operations = new Set(before.filter((line) => line.startsWith('op ')).map(operationOf))
  const ended = endedOperations(before, after, today)
  const gone = before.filter(
    (line) =>
      !current.has(line) &&
      !isAnnouncement(line) &&
      !ended.has(operationOf(line)) &&
      !isValueOfAnswer(line) &&
      !isWider(line, current),
  )
  const demanded = after.filter((line) => isDemand(line) && !former.has(line) && operations.has(operationOf(line)))
  return [...gone.map((line) => `gone: ${line}`), ...demanded.map((line) => `demanded: ${line}`)]
}

const operationOf = (line: string) => line.split(' ')[1]!
/** Finds the operations that are gone after they were deprecated for as long as clients were promised. */
function endedOperations(before: readonly string[], after: readonly string[], today: string): ReadonlySet<string> {
  const present = new Set(after.filter((line) => line.startsWith('op ')).map(operationOf))
  const announced = before.filter(isAnnouncement).map((line) => line.split(' ') as [string, string, string])
  const due = announced.filter(([, , since]) => daysBetween(since, today) >= MIN_DEPRECATION_DAYS)
  return new Set(due.map(([, operation]) => operation).filter((operation) => !present.has(operation)))
}

const isAnnouncement = (line: string) => line.startsWith('deprecated ')
const isValueOfAnswer = (line: string) => line.startsWith('out ') && line.includes(' = ')
const isDemand = (line: string) => line.startsWith('in ') && line.endsWith(', required')

/** A part of a request that is no longer required, and one of an answer that is always there now, hurt nobody. */
function isWider(line: string, current: ReadonlySet<string>): boolean {
  if (line.startsWith('in ')) return current.has(line.replace(/, required$/, ''))
  return line.startsWith('out ') && current.has(`${line}, required`)
}
