import type { Db } from '#lib/db/db.ts'
import { type AgentPool, chatFromPool } from '#ports/agent-pool.ts'
import type { ChatAnswer, ChatModel, ChatRequest, ChatUsage } from '#ports/chat-model.ts'
import { holdRun } from '../claims/held.ts'
import { bookTokens } from '../claims/store.ts'
import type { RunClaim } from '../claims/token.ts'

/** The run does not hold its app any more: it was switched off, or its lease ran out. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
}

type Deps = { readonly db: Pick<Db, 'tx'>; readonly pool: AgentPool; readonly model: ChatModel }
type SpendingRun = RunClaim & { readonly org_id: string }

export type Spender = {
  /** Calls the model once. Throws ClaimLost before anything is sent if the run does not hold its app any more. */
  call(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer | 'exhausted'>
  /** Tokens that this run has used. */
  spent(): number
}

/**
 * Pays the calls of a run from the pool of its organization. The reservation is made in a transaction that holds the run,
 * so none is made once the agent was switched off. What was served is booked in any case, also for a run that was ended
 * meanwhile: money that was spent is counted.
 */
export function createSpender({ db, pool, model }: Deps, run: SpendingRun): Spender {
  let spent = 0
  const call: Spender['call'] = async (request, signal) => {
    let usage: ChatUsage | undefined
    const fenced: AgentPool = {
      // The run first and the day of the pool second, here and below, so that no two of them wait for each other.
      reserve: (reservation) =>
        db.tx(async (tx) => {
          if (!(await holdRun(tx, run))) throw new ClaimLost('no tokens are reserved any more')
          return pool.reserve(reservation, tx)
        }),
      settle: async (reservation, served) => {
        spent += served
        await db.tx(async (tx) => {
          await bookTokens(tx, run.id, { served, ...splitOf(served, request, usage), price: model.price })
          await pool.settle(reservation, served, tx)
        })
      },
    }
    const noting: Pick<ChatModel, 'mostTokens' | 'call'> = {
      mostTokens: (sentRequest) => model.mostTokens(sentRequest),
      call: async (sentRequest, aborted) => {
        const answer = await model.call(sentRequest, aborted)
        usage = answer.usage
        return answer
      },
    }
    const spender = { orgId: run.org_id, spender: 'maintenance', reference: run.id } as const
    return chatFromPool({ pool: fenced, model: noting }, spender, request, signal)
  }
  return { call, spent: () => spent }
}

/** Where the provider did not say what it served, all of its output limit is taken for used. */
function splitOf(served: number, { maxOutputTokens }: ChatRequest, usage: ChatUsage | undefined) {
  const output = usage?.outputTokens ?? Math.min(served, maxOutputTokens)
  return { input: usage?.inputTokens ?? served - output, output }
}
