import { ServiceError } from '#contract/core/errors.ts'
import { setNativeVariable } from '#lib/processes/native-environment.ts'
import { startWorker, type WorkerHost, WorkerStopped } from '#lib/threads/worker-host.ts'
import type { Embedded, ModelMessage } from './model-worker.ts'

const LOAD_LIMIT_MS = 60_000
const RUN_LIMIT_MS = 15_000

/** Runs the model in one thread. Starts the thread when it is first needed, and again after it died. */
export class ModelThread implements AsyncDisposable {
  readonly #file: string
  readonly #folder: string
  #host: Promise<WorkerHost> | undefined
  #loadFault: unknown
  /** The text that the model works on, or the last one. Never rejects. */
  #running: Promise<unknown> | undefined

  constructor(file: string, folder: string) {
    this.#file = file
    this.#folder = folder
  }

  /** Resolves when the model is loaded. */
  ready(): Promise<WorkerHost> {
    this.#host ??= this.#start()
    return this.#host
  }

  /** Why the model could not be loaded the last time. Undefined if it could, or was never needed. */
  get loadFault(): unknown {
    return this.#loadFault
  }

  async embed(text: string): Promise<Embedded> {
    const host = await this.ready()
    const message: ModelMessage = { do: 'embed', text }
    const answer = host.ask<Embedded>(message, { limitMs: RUN_LIMIT_MS })
    this.#running = answer.catch(() => undefined)
    return answer.catch((error: unknown) => {
      throw unavailable('The built-in model stopped before it answered. Try again.', withoutText(error))
    })
  }

  async #start(): Promise<WorkerHost> {
    // Otherwise onnxruntime reports to its maker and keeps files for that in the home and temporary folders.
    setNativeVariable('ORT_DISABLE_TELEMETRY', '1')
    const host = startWorker(this.#file, { folder: this.#folder })
    try {
      await host.ask({ do: 'load' } satisfies ModelMessage, { limitMs: LOAD_LIMIT_MS })
    } catch (cause) {
      this.#host = undefined
      this.#loadFault = cause
      await host[Symbol.asyncDispose]()
      throw unavailable('The built-in model cannot be loaded. The log says why.', cause)
    }
    this.#loadFault = undefined
    const forget = () => {
      this.#host = undefined
    }
    host.stopped.addEventListener('abort', forget)
    if (host.stopped.aborted) forget()
    return host
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const host = await this.#host?.catch(() => undefined)
    // A thread that is ended inside the native code of the model aborts the whole process. One text takes a second.
    await this.#running
    await host?.[Symbol.asyncDispose]()
  }
}

export function unavailable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', detail, { retryAfterSeconds: 1, ...(cause !== undefined && { cause }) })
}

/** Replaces an error by one without its message, because the message can quote the text and causes are logged. */
function withoutText(error: unknown): Error {
  if (error instanceof WorkerStopped) return new WorkerStopped(error.message)
  return new Error(`${error instanceof Error ? error.name : 'something'} was thrown in the model`)
}
