import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/**
 * Collects the garbage of this thread and gives the memory back to the operating system, also the young memory that a
 * burst of work made V8 reserve and that V8 alone would keep. Takes some 100 ms in which nothing else runs. Node offers
 * this only through a flag, which is set for a moment.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  // Twice, because objects with memory outside the heap are finalised after the collection that finds them.
  for (const _ of [1, 2]) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
