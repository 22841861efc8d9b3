/** Lines of a message that are searched for its beginning, above its stack trace. */
const MAX_MESSAGE_LINES = 5

/**
 * Returns the lines that say why a program ended and where, as far as they stand above `last`, its last lines. They are
 * shown first, because a long stack trace leaves no room for them among the last lines.
 */
export function errorAbove(lines: readonly string[], last: readonly string[]): string[] {
  return [findErrorLine(lines), findPlaceLine(lines)].filter(
    (line): line is string => line !== undefined && !last.includes(line),
  )
}

/**
 * Finds the line that says why a program ended: the message above its last stack trace. Returns undefined if no line
 * belongs to a trace. The lines are in the order in which they were printed.
 */
export function findErrorLine(lines: readonly string[]): string | undefined {
  const lastFrame = lines.findLastIndex(isFrame)
  if (lastFrame === -1) return undefined
  const end = lines.slice(0, lastFrame).findLastIndex((line) => !isFrame(line)) + 1
  const above = lines.slice(Math.max(0, end - MAX_MESSAGE_LINES), end).filter((line) => line.trim() !== '')
  return above.findLast(isErrorHead) ?? above.at(-1)
}

/**
 * Finds the line that names the place in the program's own files: the first such frame of its last stack trace, or else
 * the line such as `file:///app/server.js:3` that Node prints above the error. Undefined if there is none.
 */
export function findPlaceLine(lines: readonly string[]): string | undefined {
  const lastFrame = lines.findLastIndex(isFrame)
  const begin = lines.slice(0, lastFrame + 1).findLastIndex((line) => !isFrame(line)) + 1
  const frame = lines.slice(begin, lastFrame + 1).find((line) => !IN_RUNTIME.test(line))
  return frame ?? lines.findLast((line) => PLACE_ALONE.test(line) && !IN_RUNTIME.test(line))
}

/** Files of Node and of packages. */
const IN_RUNTIME = /\bnode:|\/node_modules\/|<anonymous>\)?$/
const PLACE_ALONE = /^\S{1,300}:\d{1,7}$/

function isFrame(line: string): boolean {
  return /^\s{1,40}at \S/.test(line)
}

/** Such as `TypeError: x is not a function`, `Error [ERR_X]: no` and `Exception in thread "main" a.b.IoException: no`. */
function isErrorHead(line: string): boolean {
  return /^(?:Uncaught |Caused by: |Exception in )?\S{0,200}(?:Error|Exception)\b/.test(line)
}
