import { setFlagsFromString } from 'node:v8'
import { workerEntry } from '../../files/bundle.ts'
import { checkWritable } from '../../files/data-folder.ts'
import { startWorker, type WorkerHost, WorkerStopped } from '../../threads/worker-host.ts'
import { EMPTY_CLUSTER, isCluster } from './cluster.ts'
import type { EmbeddedData, EmbeddedMessage } from './engine-answers.ts'
import { panicIn } from './panic.ts'

export type EngineOptions = Omit<EmbeddedData, 'archive'> & {
  /** Absent: the empty cluster that ships with the product. */
  archive?: string
  /** Entry of the thread. Absent: the one of the product. */
  entry?: string
  statementTimeoutMs?: number
}

/**
 * Ends an engine that hangs while it opens. Long, because after a crash it replays its log first, which a slow or busy
 * machine takes minutes for.
 */
const OPEN_LIMIT_MS = 10 * 60_000

const WORKER = workerEntry('src/lib/db/embedded/embedded-worker.ts')

/**
 * Starts an engine and returns before it is open, so that the process can load its own code meanwhile. `openEmbedded`
 * takes it and reports what went wrong.
 */
export function startEngine(options: EngineOptions): EngineThread {
  const thread = new EngineThread(options)
  thread.opened.catch(() => undefined)
  return thread
}

/** One engine in a thread of its own. No two may have the same folder open. */
export class EngineThread {
  /** Resolves when the cluster is open. It is made first where there is none. */
  readonly opened: Promise<void>
  readonly #options: EngineOptions
  #host: WorkerHost | undefined
  /** Resolves when the former thread has ended. The first message to the next thread waits for it. */
  #formerExited: Promise<void> | undefined
  #limitMs: number
  #isOpen = false

  constructor(options: EngineOptions) {
    this.#options = options
    this.#limitMs = this.#defaultLimit
    this.#spawn()
    this.opened = this.#open()
  }

  get #defaultLimit(): number {
    return this.#options.statementTimeoutMs ?? 30_000
  }

  wire() {
    const host = this.#host ?? this.#spawn()
    return {
      stopped: host.stopped,
      open: async () => {
        await this.#formerExited
        this.limit(undefined)
        const reset: EmbeddedMessage = { do: 'reset' }
        const opened = host.ask<void>(reset, { limitMs: OPEN_LIMIT_MS }).catch(async (error: unknown) => {
          throw await this.#openFault(error)
        })
        await this.#orReplace(host, opened)
      },
      send: async (bytes: Uint8Array<ArrayBuffer>) => {
        const message: EmbeddedMessage = { do: 'wire', bytes }
        const options = { limitMs: this.#limitMs, transfer: [bytes.buffer] }
        const answer = host.ask<Uint8Array>(message, options).then((answered) => {
          const panic = panicIn(answered)
          if (panic) throw panic
          return answered
        })
        return this.#orReplace(host, answer)
      },
    }
  }

  /** Gives up an engine that throws, for example after a full disk. The next call starts another. */
  async #orReplace<T>(host: WorkerHost, answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      if (this.#host === host) {
        this.#host = undefined
        this.#formerExited = host.exited
      }
      // Later, so that the connection ends with this error and not with that of the stopped thread.
      setImmediate(() => void host[Symbol.asyncDispose]())
      throw error
    }
  }

  limit(timeoutMs: number | undefined): void {
    this.#limitMs = timeoutMs ?? this.#defaultLimit
  }

  async #open(): Promise<void> {
    const { folder } = this.#options
    const isNew = folder !== undefined && !isCluster(folder)
    await this.ask({ do: 'open', isNew }, OPEN_LIMIT_MS).catch(async (error: unknown) => {
      throw await this.#openFault(error)
    })
    this.#isOpen = true
  }

  /** The engine gives no reason when it cannot start. A disk that refuses writes is the usual one, so it is checked. */
  async #openFault(error: unknown): Promise<unknown> {
    const { folder } = this.#options
    const isWritable = folder === undefined ? Promise.resolve() : checkWritable(folder)
    return isWritable.then(
      () => new WorkerStopped('the embedded database could not be opened', { cause: error }),
      (fault: unknown) => fault,
    )
  }

  async ask(message: EmbeddedMessage, limitMs?: number): Promise<void> {
    await this.#host?.ask(message, limitMs === undefined ? {} : { limitMs })
  }

  /**
   * Closes the engine, which does nothing to one that is closed already. One that is still opening has nothing to save,
   * and its thread is ended instead of waiting for it.
   */
  async close(onError: (error: unknown) => void): Promise<void> {
    if (this.#isOpen) await this.ask({ do: 'close' }, 10_000).catch(onError)
    await this.#host?.[Symbol.asyncDispose]()
    await this.#formerExited
  }

  #spawn(): WorkerHost {
    const { statementTimeoutMs: _, archive = EMPTY_CLUSTER, entry = WORKER, ...rest } = this.#options
    // The archive is named here, because in a release the thread runs from another folder.
    const data: EmbeddedData = { archive, ...rest }
    keepThreadsSmall()
    const host = startWorker(entry, data)
    this.#host = host
    host.stopped.addEventListener('abort', () => {
      if (this.#host !== host) return
      this.#host = undefined
      this.#formerExited = host.exited
    })
    return host
  }
}

/**
 * Keeps V8's optimising WASM compiler away from the engine. It takes four times the processor time of the statements
 * of a start and hundreds of MB, and makes ordinary statements no faster. Also lets threads that start from now on have
 * young memory of a few MB instead of what `npm start` gives the main thread (16 MB, twice): the engine and the model
 * make little that is not garbage at once. V8 has these settings for the whole process, and a heap reads its own when it
 * is made.
 */
function keepThreadsSmall(): void {
  const flags = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--max-semi-space-size=2']
  for (const flag of flags) setFlagsFromString(flag)
}
