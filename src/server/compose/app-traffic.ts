import { createAppTraffic, createLogWriter } from '../areas/apps/index.ts'
import type { Resources } from './parts.ts'

/**
 * The apps of this process and the writer of their logs. Use it through `parts.shared`: the worker runs the apps and the
 * api-gateway sends requests to them.
 */
export function composeAppTraffic({ db, clock, log }: Resources) {
  const onError = (error: unknown) =>
    log.error({ error }, 'log lines of apps could not be stored; they are tried again')
  const logs = createLogWriter({ db, clock, onError })
  return { traffic: createAppTraffic(), logs, [Symbol.asyncDispose]: () => logs[Symbol.asyncDispose]() }
}
