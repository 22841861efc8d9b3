import { printLine } from '../output.ts'

const SLOW_AFTER_MS = 1_000
const REPEAT_MS = 10_000

/**
 * Prints the label of work that takes longer than a second, and again every ten seconds with how long it takes already,
 * so that nobody takes a slow start for a stopped one.
 */
export async function printIfSlow<T>(
  label: string,
  work: () => Promise<T>,
  print: (line: string) => void = printLine,
): Promise<T> {
  let repeats = 0
  let timer = setTimeout(() => {
    print(`svc: ${label} …`)
    timer = setInterval(() => print(`svc: ${label} … (${(SLOW_AFTER_MS + ++repeats * REPEAT_MS) / 1000} s)`), REPEAT_MS)
  }, SLOW_AFTER_MS)
  return work().finally(() => clearTimeout(timer))
}
