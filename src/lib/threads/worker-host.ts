import { type ResourceLimits, Worker } from 'node:worker_threads'

/** The reason of every call that a stopped thread did not answer. */
export class WorkerStopped extends Error {
  override readonly name = 'WorkerStopped'
}

type Pending = { resolve: (value: unknown) => void; reject: (error: Error) => void; timer: NodeJS.Timeout | undefined }
type Answer = { id: number; value?: unknown; error?: Error }

export type WorkerHost = AsyncDisposable & {
  /**
   * Sends a message and returns the answer. Kills the thread after `limitMs`, because nothing else stops a running
   * computation.
   */
  ask<T>(message: unknown, options?: { limitMs?: number; transfer?: ArrayBuffer[] }): Promise<T>
  /** Aborted once the thread answers no more. Its reason is the error that calls get from then on. */
  readonly stopped: AbortSignal
  /** Resolves once the thread has ended. Until then it may still write to files. */
  readonly exited: Promise<void>
}

/** Starts one worker thread whose script answers with `serveWorker`. */
export function startWorker(file: string, workerData: unknown, resourceLimits?: ResourceLimits): WorkerHost {
  const worker = new Worker(file, { workerData, ...(resourceLimits && { resourceLimits }) })
  const pending = new Map<number, Pending>()
  const stopping = new AbortController()
  const { promise: exited, resolve: markExited } = Promise.withResolvers<void>()
  let nextId = 0
  let stopReason: Error | undefined

  const stop = (error: Error) => {
    if (stopReason) return
    stopReason = error
    for (const { reject, timer } of pending.values()) {
      clearTimeout(timer)
      reject(error)
    }
    pending.clear()
    stopping.abort(error)
  }
  worker.on('error', (error) => stop(new WorkerStopped('the worker thread failed', { cause: error })))
  worker.on('exit', (code) => {
    stop(new WorkerStopped(`the worker thread ended with code ${code}`))
    markExited()
  })
  worker.on('message', (answer: Answer) => {
    const call = pending.get(answer.id)
    if (!call) return
    pending.delete(answer.id)
    clearTimeout(call.timer)
    if (answer.error) call.reject(answer.error)
    else call.resolve(answer.value)
  })

  return {
    stopped: stopping.signal,
    exited,
    ask<T>(message: unknown, options: { limitMs?: number; transfer?: ArrayBuffer[] } = {}) {
      if (stopReason) return Promise.reject(stopReason)
      const id = nextId++
      worker.postMessage({ id, message }, options.transfer ?? [])
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const kill = () => {
        stop(new WorkerStopped(`stopped after ${options.limitMs} ms, its time limit`))
        void worker.terminate()
      }
      const timer = options.limitMs === undefined ? undefined : setTimeout(kill, options.limitMs)
      pending.set(id, { resolve: resolve as Pending['resolve'], reject, timer })
      return promise
    },
    [Symbol.asyncDispose]: async () => {
      stop(new WorkerStopped('closed'))
      await worker.terminate()
    },
  }
}
