import type { LogRecord } from '#contract/apps/logs.ts'

/** One line of a file for each line of the log, oldest first. */
export function fileOf(lines: readonly LogRecord[]): string {
  return lines
    .toReversed()
    .map(({ at, level, source, text }) => `${at} ${level} ${source} ${text}\n`)
    .join('')
}

/** Lets the browser save a text under a name. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
