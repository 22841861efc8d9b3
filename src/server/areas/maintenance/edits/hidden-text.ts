import { findHiddenText } from '#contract/core/show-invisible.ts'

/**
 * Returns the code of the first thing in the changed lines of a file that a reader does not see, such as `‹U+3164›`.
 * Lines that the file had before may have it: people wrote them. Whole lines are looked at, because an edit can make
 * hidden text of characters that were harmless where they stood.
 */
export function findNewHiddenText(before: string, after: string): string | undefined {
  const linesBefore = new Set(linesOf(before))
  for (const line of linesOf(after)) {
    const code = linesBefore.has(line) ? undefined : findHiddenText(line)
    if (code !== undefined) return code
  }
  return undefined
}

/** Lines with their ends, since a carriage return means something else before a line feed than without one. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/)
}
