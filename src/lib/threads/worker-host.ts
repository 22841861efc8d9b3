import { Worker } from 'node:worker_threads'

export class WorkerStopped extends Error {
  override readonly name = 'WorkerStopped'
}

type Pending = { resolve: (value: unknown) => void; reject: (error: Error) => void; timer: NodeJS.Timeout | undefined }
type Answer = { id: number; value?: unknown; error?: Error }

export type WorkerHost = AsyncDisposable & {
  /** Asks the thread; past `limitMs` the thread is killed, since nothing else stops a runaway computation. */
  ask<T>(message: unknown, options?: { limitMs?: number; transfer?: ArrayBuffer[] }): Promise<T>
  /** Resolves when the thread answers no more, however that came. */
  readonly stopped: Promise<Error>
  /** Resolves when it no longer runs either: until then it may still write what it was writing. */
  readonly exited: Promise<void>
}

/** Starts one worker thread whose script answers with `serveWorker`. */
export function startWorker(file: string, workerData: unknown): WorkerHost {
  const worker = new Worker(file, { workerData })
  const pending = new Map<number, Pending>()
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<Error>()
  const { promise: exited, resolve: markExited } = Promise.withResolvers<void>()
  let nextId = 0
  let death: Error | undefined

  const die = (error: Error) => {
    if (death) return
    death = error
    for (const { reject, timer } of pending.values()) {
      clearTimeout(timer)
      reject(error)
    }
    pending.clear()
    markStopped(error)
  }
  worker.on('error', (error) => die(new WorkerStopped('the worker thread failed', { cause: error })))
  worker.on('exit', (code) => {
    die(new WorkerStopped(`the worker thread ended with code ${code}`))
    markExited()
  })
  worker.on('message', (answer: Answer) => {
    const waiting = pending.get(answer.id)
    if (!waiting) return
    pending.delete(answer.id)
    clearTimeout(waiting.timer)
    if (answer.error) waiting.reject(answer.error)
    else waiting.resolve(answer.value)
  })

  return {
    stopped,
    exited,
    ask<T>(message: unknown, options: { limitMs?: number; transfer?: ArrayBuffer[] } = {}) {
      if (death) return Promise.reject(death)
      const id = nextId++
      worker.postMessage({ id, message }, options.transfer ?? [])
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const kill = () => {
        die(new WorkerStopped(`stopped after ${options.limitMs} ms, its time limit`))
        void worker.terminate()
      }
      const timer = options.limitMs === undefined ? undefined : setTimeout(kill, options.limitMs)
      pending.set(id, { resolve: resolve as Pending['resolve'], reject, timer })
      return promise
    },
    [Symbol.asyncDispose]: async () => {
      die(new WorkerStopped('closed'))
      await worker.terminate()
    },
  }
}
