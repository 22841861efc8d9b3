import { sweepLoop } from '../../../src/server/areas/pipelines/calls/sweep.ts'

/** Returns the turn of a sweep that has run for more than two minutes, so that no worker is awaited after a restart. */
export async function startSweep(deps: Parameters<typeof sweepLoop>[0]): Promise<() => Promise<unknown>> {
  const loop = sweepLoop(deps)
  const now = Date.now()
  const tick = (secondsAgo: number) => loop.tick(new Date(now - secondsAgo * 1000), new AbortController().signal)
  for (const secondsAgo of [180, 140, 100, 60, 20]) await tick(secondsAgo)
  return () => tick(0)
}
