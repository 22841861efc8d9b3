import { messageOf } from '#lib/message-of.ts'
import { isShortRun, restartDelayMs } from '../deploys/rules.ts'
import type { Instance, InstanceEnd, KeptSockets } from '../deploys/target.ts'
import { HostLost } from './as-host.ts'
import type { HostTime } from './probe.ts'
import { type ServedInstance, serveInstance } from './served-app.ts'

type Deps = {
  readonly time: HostTime
  /** Rejects soon if the signal is aborted before the instance runs. */
  readonly start: (signal: AbortSignal) => Promise<Instance>
  /** Resolves when an instance that was started again accepts requests, or has had time enough to do so. */
  readonly untilReady: (instance: Instance, signal: AbortSignal) => Promise<unknown>
  /** Called with the instance that answers requests now, and with undefined while none does. */
  readonly onChange: (instance: ServedInstance | undefined) => void
  /** Called each time the instance ended or could not be started, and before it is started again. */
  readonly onEnd: (end: InstanceEnd, at: Date) => void
}

/** An app that is started again whenever it ends, until it is stopped. */
export type KeptRunning = {
  /** The instance that answers now. */
  readonly served: () => ServedInstance | undefined
  /** Closes WebSockets at once unless they are kept for a time. */
  readonly stop: (graceMs: number, keptSockets?: KeptSockets) => Promise<void>
  /** Stops keeping instances running, but lets those that can outlive this process go on. */
  readonly leave: (graceMs: number) => Promise<void>
}

/** Keeps an app running, with growing delays between short runs. `first` is an instance that runs already. */
export function keepRunning(first: Instance | undefined, deps: Deps): KeptRunning {
  const stopping = new AbortController()
  let isLeft = false
  let current: { instance: Instance; served: ServedInstance } | undefined
  const supervise = async () => {
    let shortRuns = 0
    let next = first
    while (!stopping.signal.aborted) {
      const startedAt = deps.time.now()
      const end = await runOnce(next)
      next = undefined
      if (stopping.signal.aborted) return
      const endedAt = deps.time.now()
      deps.onEnd(end, endedAt)
      // An end that is not the app's fault says nothing about its next run.
      if (!end.isOurs) shortRuns = isShortRun(startedAt, endedAt) ? shortRuns + 1 : 0
      await deps.time.delay(end.isOurs ? restartDelayMs(1) : restartDelayMs(shortRuns), stopping.signal)
    }
  }
  const runOnce = async (running: Instance | undefined): Promise<InstanceEnd> => {
    let instance: Instance
    try {
      instance = running ?? (await deps.start(stopping.signal))
    } catch (error) {
      const description = `it could not be started: ${messageOf(error)}`
      // Another process hosts the app: this one only has not been told yet.
      return error instanceof HostLost ? { description, isOurs: true, goesOn: true } : { description }
    }
    current = { instance, served: serveInstance(instance) }
    if (!running) await deps.untilReady(instance, stopping.signal)
    if (stopping.signal.aborted) await (isLeft ? instance.leave(0) : instance.stop(0))
    else deps.onChange(current.served)
    const ended = await instance.ended
    current = undefined
    if (!stopping.signal.aborted) deps.onChange(undefined)
    return ended
  }
  const supervised = supervise()
  const end = async (graceMs: number, how: 'stop' | 'leave', keptSockets?: KeptSockets) => {
    isLeft = how === 'leave'
    stopping.abort()
    const last = current
    if (last) {
      // Waits for the requests of an instance that others do not reach any more. One that goes on is still reached.
      const goesOn = isLeft && last.instance.outlives?.() === true
      if (!goesOn) await last.served.drain(graceMs, keptSockets)
      await last.instance[how](graceMs)
    }
    await supervised
  }
  return {
    served: () => current?.served,
    stop: (graceMs, keptSockets) => end(graceMs, 'stop', keptSockets),
    leave: (graceMs) => end(graceMs, 'leave'),
  }
}
