import { ServiceError } from '#contract/core/errors.ts'
import { startWorker, type WorkerHost, WorkerStopped } from '#lib/threads/worker-host.ts'
import type { Embedded, ModelMessage } from './model-worker.ts'

const LOAD_LIMIT_MS = 60_000
const RUN_LIMIT_MS = 15_000

/** Runs the model in one thread. Starts the thread when it is first needed, and again after it died. */
export class ModelThread implements AsyncDisposable {
  readonly #file: string
  readonly #folder: string
  #host: Promise<WorkerHost> | undefined

  constructor(file: string, folder: string) {
    this.#file = file
    this.#folder = folder
  }

  /** Resolves when the model is loaded. */
  ready(): Promise<WorkerHost> {
    this.#host ??= this.#start()
    return this.#host
  }

  async embed(text: string): Promise<Embedded> {
    const host = await this.ready()
    return ask<Embedded>(host, { do: 'embed', text }, RUN_LIMIT_MS).catch((error: unknown) => {
      throw unavailable('The built-in model stopped before it answered. Try again.', withoutText(error))
    })
  }

  async #start(): Promise<WorkerHost> {
    const host = startWorker(this.#file, { folder: this.#folder })
    try {
      await ask(host, { do: 'load' }, LOAD_LIMIT_MS)
    } catch (cause) {
      this.#host = undefined
      await host[Symbol.asyncDispose]()
      throw unavailable('The built-in model cannot be loaded. The log says why.', cause)
    }
    void host.stopped.then(() => {
      this.#host = undefined
    })
    return host
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const host = await this.#host?.catch(() => undefined)
    await host?.[Symbol.asyncDispose]()
  }
}

function ask<T>(host: WorkerHost, message: ModelMessage, limitMs: number): Promise<T> {
  return host.ask<T>(message, { limitMs })
}

export function unavailable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', detail, { retryAfterSeconds: 1, ...(cause !== undefined && { cause }) })
}

/** Replaces an error by one without its message, because the message can quote the text and causes are logged. */
function withoutText(error: unknown): Error {
  if (error instanceof WorkerStopped) return new WorkerStopped(error.message)
  return new Error(`${error instanceof Error ? error.name : 'something'} was thrown in the model`)
}
