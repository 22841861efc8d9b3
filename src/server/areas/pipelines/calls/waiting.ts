import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { leaveTransaction } from '#lib/db/transaction-guard.ts'
import { gather } from '#lib/work/gather.ts'
import { notifyWorker, readNotice, WORKERS_CHANNEL } from './channels.ts'
import type { CallResult } from './kinds.ts'
import { CALL_RESULTS } from './sealed.ts'
import { findExisting, removeCall, takeResults } from './store.ts'

/** Covers lost notifications. */
const POLL_MS = 2_000

type Grant = { readonly workerId: string; readonly fence: number }
type Waiter = { readonly done: PromiseWithResolvers<CallResult>; wasMissing: boolean; grant?: Grant }

const LOST: CallResult = { ok: false, code: 'WORKER_LOST', message: 'The call was lost. It may have run or not.' }

/** The calls whose result this process waits for. A result may come in at any replica, which notifies this one. */
export class WaitingCalls implements AsyncDisposable {
  readonly #db: Pick<Db, 'query' | 'tx' | 'listen'>
  readonly #sealer: Sealer
  readonly #waiters = new Map<string, Waiter>()
  readonly #take: (callId: string) => Promise<CallResult | undefined>
  #listening: Promise<AsyncDisposable> | undefined
  #poll: NodeJS.Timeout | undefined

  constructor({ db, sealer }: { db: Pick<Db, 'query' | 'tx' | 'listen'>; sealer: Sealer }) {
    this.#db = db
    this.#sealer = sealer
    this.#take = gather(async (ids) => {
      const taken = new Map((await takeResults(db, ids)).map((row) => [row.id, row.sealed]))
      return ids.map((id) => this.#open(id, taken.get(id)))
    })
  }

  /** Call it before the call is inserted, so that no result comes too early. */
  async expect(callId: string): Promise<{ readonly result: Promise<CallResult> }> {
    await this.#startListening()
    const waiter: Waiter = { done: Promise.withResolvers<CallResult>(), wasMissing: false }
    this.#waiters.set(callId, waiter)
    this.#poll ??= setInterval(() => void this.#lookForAll().catch(() => {}), POLL_MS).unref()
    return { result: waiter.done.promise }
  }

  has(callId: string): boolean {
    return this.#waiters.has(callId)
  }

  /** Notes to whom this process gave the call, after that was committed. */
  granted(callId: string, grant: Grant): void {
    const waiter = this.#waiters.get(callId)
    if (waiter) waiter.grant = grant
  }

  /** Whether this process gave the call to that worker under that fence and nobody has had its result yet. */
  wasGranted(callId: string, { workerId, fence }: Grant): boolean {
    const grant = this.#waiters.get(callId)?.grant
    return grant?.workerId === workerId && grant.fence === fence
  }

  /** Counts the calls that this process gave to the worker and whose result it waits for. */
  countGranted(workerId: string): number {
    return [...this.#waiters.values()].filter(({ grant }) => grant?.workerId === workerId).length
  }

  /** Hands over a result that was reported to this process. Does nothing for a call that has its result. */
  settle(callId: string, result: CallResult): void {
    const waiter = this.#waiters.get(callId)
    this.forget(callId)
    waiter?.done.resolve(result)
  }

  forget(callId: string): void {
    this.#waiters.delete(callId)
    if (this.#waiters.size > 0) return
    clearInterval(this.#poll)
    this.#poll = undefined
  }

  /** Takes the call away because nobody waits any more. Returns its result if it has just ended. */
  async cancel(callId: string): Promise<CallResult | undefined> {
    this.forget(callId)
    const removed = await this.#db.tx(async (tx) => {
      const found = await removeCall(tx, callId)
      if (found?.workerId && found.sealed === null) await notifyWorker(tx, found.workerId, 'cancel', [callId])
      return found
    })
    return this.#open(callId, removed?.sealed ?? undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#poll)
    const listening = await this.#listening?.catch(() => undefined)
    await listening?.[Symbol.asyncDispose]()
  }

  /** A failure is not kept, so that the next call tries again. */
  async #startListening(): Promise<void> {
    this.#listening ??= this.#listen()
    try {
      await this.#listening
    } catch (error) {
      this.#listening = undefined
      throw error
    }
  }

  #listen(): Promise<AsyncDisposable> {
    return this.#db.listen(WORKERS_CHANNEL, (payload) => {
      const notice = readNotice(payload)
      const ids = notice ? notice.callIds : [...this.#waiters.keys()]
      if (notice?.verb === 'cancel') return
      leaveTransaction(() => {
        for (const id of ids) if (this.#waiters.has(id)) void this.#lookFor(id).catch(() => {})
      })
    })
  }

  /** Failures are left to the next poll. */
  async #lookFor(callId: string): Promise<void> {
    const result = await this.#take(callId)
    if (result) this.settle(callId, result)
  }

  /** A row that is missing twice was removed by nobody who would tell, such as a restored database. */
  async #lookForAll(): Promise<void> {
    const ids = [...this.#waiters.keys()]
    await Promise.all(ids.map((id) => this.#lookFor(id)))
    const rest = ids.filter((id) => this.#waiters.has(id))
    if (rest.length === 0) return
    const existing = await findExisting(this.#db, rest)
    for (const id of rest) {
      const waiter = this.#waiters.get(id)
      if (!waiter) continue
      if (waiter.wasMissing && !existing.has(id)) this.settle(id, LOST)
      else waiter.wasMissing = !existing.has(id)
    }
  }

  #open(id: string, sealed: string | undefined): CallResult | undefined {
    if (sealed === undefined) return undefined
    return JSON.parse(this.#sealer.open(sealed, CALL_RESULTS.context({ id }))) as CallResult
  }
}
