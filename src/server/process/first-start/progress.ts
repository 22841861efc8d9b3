import { printLine } from '../output.ts'

const AFTER_MS = 1_000

/** Prints a line about work that takes longer than a second, so that nobody takes a slow start for a stopped one. */
export async function telling<T>(
  what: string,
  work: () => Promise<T>,
  print: (line: string) => void = printLine,
): Promise<T> {
  const timer = setTimeout(() => print(`svc: ${what} …`), AFTER_MS)
  return work().finally(() => clearTimeout(timer))
}
