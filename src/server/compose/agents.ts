import type { Loop } from '#lib/work/loop.ts'
import type { AgentPool, CountPoolTokens } from '#ports/agent-pool.ts'
import type { FindChatModel } from '#ports/chat-model.ts'
import { agentPoolLoop, createAgentPool } from '../areas/ai/index.ts'
import { maintenanceTimezoneOf } from '../areas/maintenance/index.ts'
import { composeChatModels } from './chat-models.ts'
import type { Resources } from './parts.ts'

type Agents = AsyncDisposable & {
  readonly pool: AgentPool & { readonly remaining: CountPoolTokens }
  readonly findModel: FindChatModel
  readonly loops: readonly Loop[]
}

/** Builds what checks and maintenance use to call models. Use it through `parts.shared`. */
export function composeAgents({ config, db, clock, shared }: Resources): Agents {
  const limit = config.ai.agentTokensPerDay
  const models = shared(composeChatModels)
  return {
    pool: createAgentPool({ db, clock, limit, timezoneOf: (orgId, within) => maintenanceTimezoneOf(within, orgId) }),
    findModel: (name) => models.find(name),
    loops: [agentPoolLoop({ db })],
    [Symbol.asyncDispose]: async () => {},
  }
}
