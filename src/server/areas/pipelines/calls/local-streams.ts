import type { WorkerEvent } from '#contract/workers.ts'
import { endsWithin } from '#lib/async/race.ts'

type Work = Extract<WorkerEvent, { type: 'call' }>

/**
 * Waits until no other statement of this process gives calls to the worker. A statement counts the calls that run as it
 * begins, so two at once would both see the same free place. Returns undefined if that takes longer than `limitMs`.
 */
type TakeTurn = {
  (): Promise<Disposable>
  (limitMs: number): Promise<Disposable | undefined>
}

/** The stream of a worker that this process holds. */
export type LocalStream = {
  readonly workerId: string
  /** Number of this connection of the worker. */
  readonly stream: number
  readonly appId: string
  /** Id of the principal that connected the worker. Results of any other one are refused. */
  readonly principalId: string
  readonly functions: ReadonlySet<string>
  /** Calls that the worker runs at once. */
  readonly concurrency: number
  /** Number of calls that were answered and still have their place, because their end is not on disk. */
  ending: number
  readonly takeTurn: TakeTurn
  /** Sends a call that was given to the worker, after that was committed. */
  readonly send: (call: Work) => void
  /** Looks for calls that wait, because the worker has a free place. */
  readonly wake: () => void
  /** Ends the stream. The worker connects again, names the calls it has, and is sent the others. */
  readonly fail: (error: unknown) => void
}

/** The streams of workers that this process holds, so that it can give a call to a worker as it inserts the call. */
export class LocalStreams {
  readonly #byApp = new Map<string, Map<string, LocalStream>>()

  /** Adds a stream until the result is disposed of. It replaces an older stream of the same worker. */
  open(stream: LocalStream): Disposable {
    const { appId, workerId } = stream
    const workers = this.#byApp.get(appId) ?? new Map<string, LocalStream>()
    this.#byApp.set(appId, workers.set(workerId, stream))
    return {
      [Symbol.dispose]: () => {
        if (workers.get(workerId) === stream) workers.delete(workerId)
        if (workers.size === 0 && this.#byApp.get(appId) === workers) this.#byApp.delete(appId)
      },
    }
  }

  /** Returns a stream of a worker that serves the function, of several each in turn. */
  pick(appId: string, name: string): LocalStream | undefined {
    const workers = this.#byApp.get(appId)
    for (const [workerId, stream] of workers ?? []) {
      if (!stream.functions.has(name)) continue
      workers!.delete(workerId)
      workers!.set(workerId, stream)
      return stream
    }
    return undefined
  }

  serves(appId: string, name: string): boolean {
    const streams = this.#byApp.get(appId)?.values()
    return streams?.some(({ functions }) => functions.has(name)) ?? false
  }

  find(appId: string, workerId: string): LocalStream | undefined {
    return this.#byApp.get(appId)?.get(workerId)
  }
}

/** Turns in the order in which they were asked for. */
export function createTurns(): TakeTurn {
  let last: Promise<void> = Promise.resolve()
  async function takeTurn(): Promise<Disposable>
  async function takeTurn(limitMs?: number): Promise<Disposable | undefined>
  async function takeTurn(limitMs?: number): Promise<Disposable | undefined> {
    const before = last
    const done = Promise.withResolvers<void>()
    last = before.then(() => done.promise)
    if (limitMs === undefined) await before
    else if (!(await endsWithin(limitMs, before))) {
      done.resolve()
      return undefined
    }
    return { [Symbol.dispose]: () => done.resolve() }
  }
  return takeTurn
}
