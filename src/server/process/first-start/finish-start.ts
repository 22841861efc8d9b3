import type { Log } from '#lib/log/log.ts'
import type { PendingExample } from './first-run.ts'

const EXAMPLE_READY = 'the example data source is ready'
const EXAMPLE_FAILED = 'the example could not be created: see the log, or turn it off with SVC_EXAMPLE=false'

type Work = {
  log: Log
  example: PendingExample | undefined
  app: (() => Promise<void>) | undefined
  /** Loads what the first requests would otherwise wait for. */
  warm: () => Promise<void>
  print: (line: string) => void
}

/**
 * Does what takes longer than a start may, while the server answers. The server works without it, and the next start
 * tries again what failed. A stop in the meantime is not reported as a failure.
 */
export async function finishStart(
  { log, print, example, app, warm }: Work,
  stack: AsyncDisposableStack,
): Promise<void> {
  let isStopping = false
  stack.defer(() => {
    isStopping = true
  })
  const run = (work: () => Promise<void>, message: string): Promise<boolean> =>
    work().then(
      () => true,
      (error: unknown) => {
        if (!isStopping) log.error({ error }, message)
        return false
      },
    )
  if (example) {
    const isMade = await run(() => example.make(), 'the example could not be created')
    if (!isStopping) print(isMade ? EXAMPLE_READY : EXAMPLE_FAILED)
  }
  if (!isStopping) await run(warm, 'the code and models of the first requests could not be loaded')
  if (app && !isStopping) await run(app, 'the example app could not be deployed')
}
