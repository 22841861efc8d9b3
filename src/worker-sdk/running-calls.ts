import { MAX_OUTPUT_BYTES, type ReportedResult, type WorkerEvent } from '#contract/workers.ts'
import type { CallLog } from './api.ts'
import type { RunCall, Served } from './definitions.ts'

type Work = Extract<WorkerEvent, { type: 'call' }>
type Running = { readonly abort: AbortController; readonly timer: NodeJS.Timeout }

const MAX_ERROR_LENGTH = 4_000
/** Calls that were received, kept so that one that the server sends again is not run again. */
const MAX_REMEMBERED = 10_000

type Deps = {
  readonly served: Served
  readonly report: (result: ReportedResult) => void
  readonly logOf: (work: Work) => CallLog
}

/** Runs the calls of a worker, each once. */
export class RunningCalls {
  readonly #deps: Deps
  readonly #running = new Map<string, Running>()
  readonly #seen = new Set<string>()
  #idle = Promise.withResolvers<void>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#idle.resolve()
  }

  get ids(): string[] {
    return [...this.#running.keys()]
  }

  /** Ignores a call that was sent twice. One with another fence is a repetition that the server has allowed. */
  start(work: Work): void {
    const grant = `${work.call_id} ${work.fence}`
    if (this.#seen.has(grant)) return
    this.#remember(grant)
    this.cancel([work.call_id])
    if (this.#running.size === 0) this.#idle = Promise.withResolvers()
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(new Error('The time for this call is over.')), work.seconds_left * 1000)
    const running = { abort, timer }
    this.#running.set(work.call_id, running)
    void this.#run(work, running)
  }

  cancel(callIds: readonly string[], reason = 'The call was canceled.'): void {
    for (const id of callIds) this.#running.get(id)?.abort.abort(new Error(reason))
  }

  /** Resolves when no call runs. */
  idle(): Promise<void> {
    return this.#idle.promise
  }

  async #run(work: Work, running: Running): Promise<void> {
    const { call_id, fence } = work
    const outcome = await this.#outcome(work, running.abort.signal)
    clearTimeout(running.timer)
    this.#deps.report({ call_id, fence, ...outcome })
    if (this.#running.get(call_id) === running) this.#running.delete(call_id)
    if (this.#running.size === 0) this.#idle.resolve()
  }

  async #outcome(work: Work, signal: AbortSignal): Promise<{ output: unknown } | { error: string }> {
    try {
      const run = this.#find(work)
      const context = { callId: work.call_id, signal, log: this.#deps.logOf(work) }
      return toOutput(await run(work.input, context))
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      return { error: text.slice(0, MAX_ERROR_LENGTH) || 'The function failed without a message.' }
    }
  }

  #find({ kind, name }: Work): RunCall {
    const found = (kind === 'function' ? this.#deps.served.functions : this.#deps.served.pipelines).get(name)
    if (!found) throw new Error(`This worker does not serve ${name}.`)
    return found.run
  }

  #remember(grant: string): void {
    this.#seen.add(grant)
    const [oldest] = this.#seen
    if (this.#seen.size > MAX_REMEMBERED) this.#seen.delete(oldest!)
  }
}

function toOutput(value: unknown): { output: unknown } | { error: string } {
  const text = JSON.stringify(value) ?? 'null'
  if (Buffer.byteLength(text) > MAX_OUTPUT_BYTES)
    return { error: `The result is larger than ${MAX_OUTPUT_BYTES} bytes.` }
  return { output: JSON.parse(text) as unknown }
}
