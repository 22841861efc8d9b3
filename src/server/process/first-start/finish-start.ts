import type { Log } from '#lib/log/log.ts'
import type { PendingExample } from './first-run.ts'

const EXAMPLE_READY = 'the example data source is ready'
const EXAMPLE_FAILED = 'the example could not be created: see the log, or turn it off with SVC_EXAMPLE=false'

type Work = {
  log: Log
  example: PendingExample | undefined
  app: ((signal: AbortSignal) => Promise<void>) | undefined
  /** Loads what the first requests would otherwise wait for. */
  warm: (signal: AbortSignal) => Promise<void>
  print: (line: string) => void
  /** Aborted as soon as the process is to stop, before the stop closes anything. */
  stopping: AbortSignal
}

/**
 * Does what takes longer than a start may, while the server answers. The server works without it, and the next start
 * tries again what failed. A stop ends it first, after the step that is under way, because its requests need everything
 * that the stop closes. Being stopped is not reported as a failure.
 */
export function finishStart(work: Work, stack: AsyncDisposableStack): Promise<void> {
  const stopping = new AbortController()
  const finished = inOrder(work, AbortSignal.any([work.stopping, stopping.signal]))
  stack.defer(async () => {
    stopping.abort()
    await finished
  })
  return finished
}

async function inOrder({ log, print, example, app, warm }: Work, stopping: AbortSignal): Promise<void> {
  const run = (step: (signal: AbortSignal) => Promise<void>, message: string): Promise<boolean> =>
    step(stopping).then(
      () => true,
      (error: unknown) => {
        if (!stopping.aborted) log.error({ error }, message)
        return false
      },
    )
  if (example) {
    const isMade = await run((signal) => example.make(signal), 'the example could not be created')
    if (!stopping.aborted) print(isMade ? EXAMPLE_READY : EXAMPLE_FAILED)
  }
  if (!stopping.aborted) await run(warm, 'the code and models of the first requests could not be loaded')
  if (app && !stopping.aborted) await run(app, 'the example app could not be deployed')
}
