import type { Cli } from '../../../terminal/cli.ts'
import { type Filled, type Filling, fill } from './fill.ts'
import { progressBar } from './progress-bar.ts'

/** Fills every row without a vector and shows a bar. */
export async function fillWithBar(filling: Omit<Filling, 'onProgress'>, total: number, cli: Cli): Promise<Filled> {
  const startedAt = performance.now()
  let done = 0
  let waiting: number | undefined
  const label = () => {
    const bar = progressBar(done, total, (performance.now() - startedAt) / 1000)
    return waiting === undefined ? bar : `${bar}, waiting ${waiting} s for the gateway`
  }
  const onProgress: Filling['onProgress'] = (change) => {
    done += change.embedded ?? 0
    waiting = change.waitSeconds
  }
  return await cli.progress(label, fill({ ...filling, onProgress }))
}
