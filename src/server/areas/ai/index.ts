import type { OpenStreams } from '#edge/stream/open-streams.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import type { Clock } from '#lib/time/clock.ts'
import { agentPoolRoute } from './agent-pool/read.ts'
import type { ChatModels } from './chat/chat-models.ts'
import { chatCompletionsRoute } from './chat/completions.ts'
import { embeddingsRoute } from './embed/embeddings.ts'
import type { EmbeddingModels } from './embeddings.ts'
import { modelsRoute } from './models.ts'

export { agentPoolLoop, createAgentPool } from './agent-pool/pool.ts'
export { BUILTIN_MODEL } from './builtin/builtin.ts'
export { type ChatModels, createChatModels } from './chat/chat-models.ts'
export { createEmbeddings } from './embeddings.ts'
export { aiEraser } from './erase-store.ts'
export type { ProviderModel, ProviderSettings } from './providers/provider.ts'

type Options = {
  db: Querier
  clock: Clock
  agentTokensPerDay: number
  /** Returns the IANA timezone in which the days of the agents' pool begin. */
  timezoneOf: (orgId: string) => Promise<string>
  chatModels: ChatModels
  embeddings: Pick<EmbeddingModels, 'models' | 'meter'>
  log: Log
  openStreams: OpenStreams
}

export function createAi(options: Options) {
  const { chatModels } = options
  const { models, meter } = options.embeddings
  return {
    routes: [
      modelsRoute({ models, chatModels }),
      agentPoolRoute({ ...options, limit: options.agentTokensPerDay }),
      embeddingsRoute({ models, meter }),
      chatCompletionsRoute({ ...options, models: chatModels, meter }),
    ],
  }
}
