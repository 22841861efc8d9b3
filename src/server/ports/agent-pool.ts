import type { Tx } from '#lib/db/db.ts'
import { type ChatAnswer, type ChatModel, ChatModelError, type ChatRequest, servedTokens } from './chat-model.ts'

/** Who spends, for reports: `reference` is the id of the check or of the run. */
type PoolSpender = {
  readonly orgId: string
  readonly spender: 'check' | 'maintenance'
  readonly reference: string
}

type PoolReservation = { readonly id: number; readonly tokens: number }

/**
 * The tokens that the agents of an organization (checks and maintenance) may use on a day of its maintenance timezone.
 * A reservation counts in full until it is settled, and for good if it is not settled within two hours, because its
 * process may have died after the provider did the work.
 */
export type AgentPool = {
  /**
   * Reserves `tokens` of today, or returns `exhausted` if fewer are left or the pool is closed for today. With `tx` the
   * reservation is part of that transaction, which then holds the row of the day until it ends: make it short.
   */
  reserve(request: PoolSpender & { readonly tokens: number }, tx?: Tx): Promise<PoolReservation | 'exhausted'>
  /**
   * Counts what was served in place of what was reserved. More than was reserved is counted too, and closes the pool
   * for that day. A second settlement of the same reservation changes nothing.
   */
  settle(reservation: PoolReservation, servedTokens: number, tx?: Tx): Promise<void>
}

/** Returns how many tokens of today are left for an organization. Others may reserve them in the same moment. */
export type CountPoolTokens = (orgId: string) => Promise<number>

/**
 * Calls the model with tokens of the pool. A failed call costs nothing if the provider certainly did no work, and all
 * that was reserved otherwise.
 */
export async function chatFromPool(
  { pool, model }: { pool: AgentPool; model: Pick<ChatModel, 'mostTokens' | 'call'> },
  spender: PoolSpender,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ChatAnswer | 'exhausted'> {
  const reservation = await pool.reserve({ ...spender, tokens: model.mostTokens(request) })
  if (reservation === 'exhausted') return reservation
  const answer = await model.call(request, signal).catch(async (error: unknown) => {
    const isFree = error instanceof ChatModelError && !error.mayHaveCost
    await pool.settle(reservation, isFree ? 0 : reservation.tokens)
    throw error
  })
  await pool.settle(reservation, servedTokens(answer, reservation.tokens))
  return answer
}
