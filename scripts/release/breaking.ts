/**
 * Returns the changes between two descriptions of the API (see contract-lines.ts) by which a client of the former could
 * fail: an operation or a part of an answer is gone, or a request that was accepted is refused. A new value in an answer
 * is none, and neither is a value that no answer has any more: clients must ignore what they do not know.
 */
export function findBreaking(before: readonly string[], after: readonly string[]): string[] {
  const [former, current] = [new Set(before), new Set(after)]
  const operations = new Set(before.filter((line) => line.startsWith('op ')).map(operationOf))
  const gone = before.filter((line) => !current.has(line) && !isValueOfAnswer(line) && !isWider(line, current))
  const demanded = after.filter((line) => isDemand(line) && !former.has(line) && operations.has(operationOf(line)))
  return [...gone.map((line) => `gone: ${line}`), ...demanded.map((line) => `demanded: ${line}`)]
}

const operationOf = (line: string) => line.split(' ')[1]!
const isValueOfAnswer = (line: string) => line.startsWith('out ') && line.includes(' = ')
const isDemand = (line: string) => line.startsWith('in ') && line.endsWith(', required')

/** A part of a request that is no longer required, and one of an answer that is always there now, hurt nobody. */
function isWider(line: string, current: ReadonlySet<string>): boolean {
  if (line.startsWith('in ')) return current.has(line.replace(/, required$/, ''))
  return line.startsWith('out ') && current.has(`${line}, required`)
}
