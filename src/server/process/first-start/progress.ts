import { printLine } from '../output.ts'

const SLOW_AFTER_MS = 1_000

/** Prints the label of work that takes longer than a second, so that nobody takes a slow start for a stopped one. */
export async function printIfSlow<T>(
  label: string,
  work: () => Promise<T>,
  print: (line: string) => void = printLine,
): Promise<T> {
  const timer = setTimeout(() => print(`svc: ${label} …`), SLOW_AFTER_MS)
  return work().finally(() => clearTimeout(timer))
}
