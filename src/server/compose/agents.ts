import type { AgentPool } from '#edge/agent-pool.ts'
import type { FindChatModel } from '#edge/chat-model.ts'
import type { Loop } from '#lib/work/loop.ts'
import { agentPoolLoop, createAgentPool } from '../areas/ai/index.ts'
import { maintenanceTimezoneOf } from '../areas/maintenance/index.ts'
import type { Resources } from './parts.ts'

type Agents = AsyncDisposable & {
  readonly pool: AgentPool
  readonly findModel: FindChatModel
  readonly loops: readonly Loop[]
}

/** Builds what checks and maintenance use to call models. Use it through `parts.shared`. */
export function composeAgents({ config, db, clock }: Resources): Agents {
  const limit = config.ai.agentTokensPerDay
  return {
    pool: createAgentPool({ db, clock, limit, timezoneOf: (orgId) => maintenanceTimezoneOf(db, orgId) }),
    // @TODO the models of the configured providers.
    findModel: () => undefined,
    loops: [agentPoolLoop({ db })],
    [Symbol.asyncDispose]: async () => {},
  }
}
