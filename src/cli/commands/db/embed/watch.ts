import { poll } from '../../../call/poll.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { type Filled, type Filling, fill } from './fill.ts'

/** Fills rows that are added or whose vector is removed, until Ctrl-C. */
export async function watch(filling: Omit<Filling, 'onProgress'>, cli: Cli): Promise<void> {
  cli.note('Watching for new rows. Press Ctrl-C to stop.')
  for await (const filled of poll(() => fill({ ...filling, onProgress: () => undefined }))) {
    if (filled.embedded > 0) cli.note(filledLine(filled, filling.table.shown))
  }
}

export function filledLine({ embedded, empty, changed }: Filled, table: string): string {
  const rest = [empty > 0 ? `${empty} have no text` : '', changed > 0 ? `${changed} changed meanwhile` : '']
  return [`Filled ${embedded} ${embedded === 1 ? 'row' : 'rows'} of ${table}`, ...rest.filter(Boolean)]
    .join(', ')
    .concat('.')
}
