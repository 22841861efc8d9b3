import type { Client } from '#contract/core/client.ts'
import { type Wait, waitInRealTime } from '#contract/core/client-stream.ts'
import { ServiceError } from '#contract/core/errors.ts'
import {
  connectWorker,
  type ReportedResult,
  reportLogs,
  reportResults,
  type WorkerEvent,
  workerHeartbeat,
} from '#contract/workers.ts'
import type { CallLog, Worker, WorkerOptions } from './api.ts'
import { createWorkerClient, type WorkerClientOptions } from './client.ts'
import { readConfig } from './config.ts'
import { addFunction, addPipeline, type Served } from './definitions.ts'
import { Outbox } from './outbox.ts'
import { RunningCalls } from './running-calls.ts'
import { SDK_VERSION } from './version.ts'

type Options = WorkerOptions & WorkerClientOptions & { readonly wait?: Wait }
type Work = Extract<WorkerEvent, { type: 'call' }>
type LogLine = { readonly call_id: string; readonly fence: number; readonly line: Line }
type Line = { readonly at: string; readonly level: keyof CallLog; readonly text: string }

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 15_000
const MAX_LINE_LENGTH = 4_000
const DEFAULT_GRACE_SECONDS = 10
/** Refusals that another try does not change, if they are the answer to the first one. */
const REFUSALS: ReadonlySet<string> = new Set(['INVALID_REQUEST', 'INVALID_TOKEN', 'FORBIDDEN', 'NOT_FOUND'])

/** Creates a worker, which serves functions and pipelines of an app. */
export function createWorker(options: Options = {}): Worker {
  const app = options.app ?? readConfig(options.env).app
  if (!app) throw new Error('SVC_APP is not set. Set it to the alias of the app that this worker serves.')
  const served: Served = { functions: new Map(), pipelines: new Map() }
  const connection = new Connection(app, served, options)
  const worker: Worker = {
    function: (name, about, run) => {
      addFunction(served, name, about, run)
      return worker
    },
    pipeline: (name, about, run) => {
      addPipeline(served, name, about, run)
      return worker
    },
    start: () => connection.start(),
    stop: ({ graceSeconds = DEFAULT_GRACE_SECONDS } = {}) => connection.stop(graceSeconds),
  }
  return worker
}

class Connection {
  readonly #alias: string
  readonly #served: Served
  readonly #options: Options
  readonly #client: Client
  readonly #wait: Wait
  readonly #onError: (error: unknown) => void
  readonly #calls: RunningCalls
  readonly #results: Outbox<ReportedResult & { worker_id: string }>
  readonly #logs: Outbox<LogLine & { worker_id: string }>
  readonly #leaving = new AbortController()
  readonly #started = Promise.withResolvers<void>()
  #workerId: string | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #connected: Promise<void> | undefined
  #isStopping = false

  constructor(alias: string, served: Served, options: Options) {
    this.#alias = alias
    this.#served = served
    this.#options = options
    this.#client = createWorkerClient(options)
    this.#wait = options.wait ?? waitInRealTime
    this.#onError = options.onError ?? ((error) => console.error('svc worker:', textOf(error)))
    const outbox = { wait: this.#wait, onError: this.#onError }
    this.#results = new Outbox({ ...outbox, send: (results) => this.#sendResults(results) })
    this.#logs = new Outbox({ ...outbox, send: (lines) => this.#sendLogs(lines) })
    this.#calls = new RunningCalls({
      served,
      report: (result) => this.#results.add({ ...result, worker_id: this.#workerId! }),
      logOf: (work) => this.#logOf(work),
    })
  }

  start(): Promise<void> {
    this.#connected ??= this.#stayConnected()
    return this.#started.promise
  }

  async stop(graceSeconds: number): Promise<void> {
    if (this.#isStopping || !this.#connected) return
    this.#isStopping = true
    await this.#beat()
    await Promise.race([this.#calls.idle(), this.#wait(graceSeconds * 1000, this.#leaving.signal)])
    this.#calls.cancel(this.#calls.ids, 'The worker stops.')
    await Promise.race([this.#flushed(), this.#wait(graceSeconds * 1000, this.#leaving.signal)])
    clearInterval(this.#heartbeat)
    this.#leaving.abort()
    await this.#connected
  }

  async #flushed(): Promise<void> {
    await this.#logs.flushed()
    await this.#results.flushed()
  }

  /** Connects again after each break, as the same worker, until it stops. */
  async #stayConnected(): Promise<void> {
    let failures = 0
    while (!this.#leaving.signal.aborted) {
      const wasConnected = this.#workerId !== undefined
      try {
        await this.#readStream(() => {
          failures = 0
        })
      } catch (error) {
        if (this.#leaving.signal.aborted) return
        if (!wasConnected && this.#workerId === undefined && isRefusal(error)) {
          this.#started.reject(error)
          return
        }
        this.#onError(error)
      }
      const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS) * (0.5 + Math.random() / 2)
      failures++
      await this.#wait(delay, this.#leaving.signal).catch(() => {})
    }
  }

  async #readStream(onConnected: () => void): Promise<void> {
    const { signal } = this.#leaving
    for await (const event of this.#client.stream(connectWorker, this.#registration(), { signal })) {
      if (event.type === 'call') this.#calls.start(event)
      else if (event.type === 'cancel') this.#calls.cancel([event.call_id])
      else {
        this.#onRegistered(event.worker_id, event.heartbeat_seconds)
        onConnected()
      }
    }
  }

  #registration() {
    const { concurrency = 10 } = this.#options
    return {
      alias: this.#alias,
      sdk_version: SDK_VERSION,
      concurrency,
      functions: [...this.#served.functions.values()].map(({ definition }) => definition),
      pipelines: [...this.#served.pipelines.values()].map(({ definition }) => definition),
      ...(this.#workerId !== undefined && { worker_id: this.#workerId, calls: this.#unreported() }),
    }
  }

  /** Calls that the worker has and whose result the server may not have. */
  #unreported(): string[] {
    return [...new Set([...this.#calls.ids, ...this.#results.waiting.map(({ call_id }) => call_id)])]
  }

  /** Another id means that the server gave the worker up, and its calls with it. */
  #onRegistered(workerId: string, heartbeatSeconds: number): void {
    if (this.#workerId !== undefined && this.#workerId !== workerId) {
      this.#calls.cancel(this.#calls.ids, 'The connection was lost for too long.')
    }
    this.#workerId = workerId
    clearInterval(this.#heartbeat)
    this.#heartbeat = setInterval(() => void this.#beat(), heartbeatSeconds * 1000)
    this.#started.resolve()
  }

  async #beat(): Promise<void> {
    if (this.#workerId === undefined) return
    const own = { alias: this.#alias, worker_id: this.#workerId }
    try {
      const input = { ...own, calls: this.#unreported(), stopping: this.#isStopping }
      const { cancel } = await this.#client.call(workerHeartbeat, input, { signal: this.#leaving.signal })
      this.#calls.cancel(cancel)
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.#onError(error)
    }
  }

  async #sendResults(results: readonly (ReportedResult & { worker_id: string })[]): Promise<void> {
    // Lines come before the result, because none are accepted after it.
    await this.#logs.flushed()
    for (const [worker_id, own] of Map.groupBy(results, (result) => result.worker_id)) {
      const plain = own.map(({ worker_id: _, ...result }) => result)
      await this.#client.call(reportResults, { alias: this.#alias, worker_id, results: plain })
    }
  }

  async #sendLogs(lines: readonly (LogLine & { worker_id: string })[]): Promise<void> {
    const byCall = Map.groupBy(lines, ({ worker_id, call_id, fence }) => `${worker_id} ${call_id} ${fence}`)
    for (const own of byCall.values()) {
      const { worker_id, call_id, fence } = own[0]!
      const input = { alias: this.#alias, worker_id, call_id, fence, lines: own.map(({ line }) => line) }
      await this.#client.call(reportLogs, input)
    }
  }

  #logOf({ kind, call_id, fence }: Work): CallLog {
    const write = (level: keyof CallLog) => (text: string) => {
      if (kind !== 'pipeline') return
      const line = { at: new Date().toISOString(), level, text: text.slice(0, MAX_LINE_LENGTH) }
      this.#logs.add({ worker_id: this.#workerId!, call_id, fence, line })
    }
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && REFUSALS.has(error.code)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
