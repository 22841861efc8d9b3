import { readDeprecation } from '#contract/core/deprecation.ts'
import type { Cli } from '../command/command.ts'
import { printable } from '../terminal/printable.ts'

type Warn = (request: Request, response: Response) => void

/** Returns a function that warns of the first answer which announces that its operation will be removed. */
export function warnOfDeprecated(apiUrl: string, { note }: Pick<Cli, 'note'>): Warn {
  let isWarned = false
  return ({ method, url }, { headers }) => {
    const announced = readDeprecation(headers)
    if (!announced || isWarned) return
    isWarned = true
    const { since, sunset, page } = announced
    const end = sunset === undefined ? 'will be removed' : `may be removed from ${sunset} on`
    const where = page === undefined ? '' : ` See ${apiUrl}${page}.`
    note(printable(`Warning: ${method} ${new URL(url).pathname} is deprecated since ${since} and ${end}.${where}`))
  }
}
