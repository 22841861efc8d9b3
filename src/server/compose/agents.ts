import { agentPoolLoop, createAgentPool } from '../areas/ai/index.ts'
import { maintenanceTimezoneOf } from '../areas/maintenance/index.ts'
import { composeChatModels } from './chat-models.ts'
import type { Resources } from './parts.ts'

/** Builds what checks and maintenance use to call models. Use it through `parts.shared`. */
export function composeAgents({ config, db, clock, shared }: Resources) {
  const limit = config.ai.agentTokensPerDay
  const models = shared(composeChatModels)
  return {
    pool: createAgentPool({ db, clock, limit, timezoneOf: (orgId, within) => maintenanceTimezoneOf(within, orgId) }),
    findModel: (name: string) => models.find(name),
    loops: [agentPoolLoop({ db })],
    [Symbol.asyncDispose]: async () => {},
  }
}
