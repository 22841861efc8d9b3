import { workerEntry } from '#lib/files/bundle.ts'
import type { Embeddings } from '../providers/provider.ts'
import { FairLists } from './fair-lists.ts'
import { ModelThread, unavailable } from './model-thread.ts'
import type { Embedded } from './model-worker.ts'
import { weightsFolder } from './weights.ts'

export const BUILTIN_MODEL = 'builtin/all-minilm-l6-v2'
export const BUILTIN_DIMENSIONS = 384

type BuiltinOptions = {
  threads?: number
  /** Largest number of texts that may wait. */
  queueLimit?: number
  /** Folder of the model files. */
  folder?: string
  /** Script that the thread runs, if it is not the default one. */
  worker?: string
}

/** Runs the model that ships with the product, in separate threads. */
export type Builtin = AsyncDisposable & {
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embeddings>
  /** Loads the model before the first request. */
  warm(): Promise<void>
  /** Rejects if the model could not be loaded when it was last needed. */
  check(): Promise<void>
}

type Job = { ask: symbol; text: string; done: (embedded: Embedded) => void; failed: (error: unknown) => void }

export function createBuiltin(options: BuiltinOptions = {}): Builtin {
  const { threads: count = 1, queueLimit = 256, folder = weightsFolder() } = options
  const file = options.worker ?? workerEntry('src/server/areas/ai/builtin/model-worker.ts')
  const threads = Array.from({ length: count }, () => new ModelThread(file, folder))
  const idle = [...threads]
  const waiting = new FairLists<Job>()
  let closed = false

  const work = async (thread: ModelThread, job: Job) => {
    await thread.embed(job.text).then(job.done, job.failed)
    idle.push(thread)
    dispatch()
  }
  const dispatch = () => {
    if (closed) for (const job of waiting.takeAll()) job.failed(unavailable('stopping'))
    while (idle.length > 0 && waiting.size > 0) void work(idle.shift()!, waiting.take()!)
  }
  return {
    embed: async (texts, signal) => {
      signal.throwIfAborted()
      if (waiting.size + texts.length > queueLimit) throw unavailable('The built-in model is busy. Try again.')
      const { jobs, all } = askFor(texts, (ask) => waiting.drop((job) => job.ask === ask), signal)
      waiting.add(jobs)
      dispatch()
      return all
    },
    warm: async () => {
      await Promise.all(threads.map((thread) => thread.ready()))
    },
    check: async () => {
      const fault = threads.map(({ loadFault }) => loadFault).find((each) => each !== undefined)
      if (fault !== undefined) throw unavailable('The built-in model cannot be loaded.', fault)
    },
    [Symbol.asyncDispose]: async () => {
      closed = true
      dispatch()
      await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()))
    },
  }
}

/** Queues one job per text. If one fails or the caller disconnects, the others are cancelled. */
function askFor(texts: readonly string[], withdraw: (ask: symbol) => void, signal: AbortSignal) {
  const ask = Symbol('ask')
  const parts = texts.map((text) => ({ text, ...Promise.withResolvers<Embedded>() }))
  const gone = () => {
    for (const { reject } of parts) reject(signal.reason)
  }
  signal.addEventListener('abort', gone, { once: true })
  const all = Promise.all(parts.map(({ promise }) => promise))
    .then((embedded) => ({
      vectors: embedded.map(({ vector }) => vector),
      tokens: embedded.reduce((sum, { tokens }) => sum + tokens, 0),
    }))
    .finally(() => {
      signal.removeEventListener('abort', gone)
      withdraw(ask)
    })
  const jobs: Job[] = parts.map(({ text, resolve, reject }) => ({ ask, text, done: resolve, failed: reject }))
  return { jobs, all }
}
