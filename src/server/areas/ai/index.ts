import type { OpenStreams } from '#edge/stream/open-streams.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppDirectory } from '#ports/apps.ts'
import { agentPoolRoute, type SelectAgents } from './agent-pool/read.ts'
import type { ChatModels } from './chat/chat-models.ts'
import { chatCompletionsRoute } from './chat/completions.ts'
import { createEmbed } from './embed/embed.ts'
import type { Embedding } from './embed/embedding.ts'
import { embeddingsRoute } from './embed/embeddings.ts'
import { modelsRoute } from './models.ts'

export { agentPoolLoop, createAgentPool } from './agent-pool/pool.ts'
export { BUILTIN_MODEL, createBuiltin } from './builtin/builtin.ts'
export { type ChatModels, createChatModels } from './chat/chat-models.ts'
export { createEmbedding } from './embed/embedding.ts'
export { aiEraser } from './erase-store.ts'
export type { ProviderModel, ProviderSettings } from './providers/provider.ts'

type Options = {
  db: Querier
  clock: Clock
  embedding: Embedding
  agentTokensPerDay: number
  /** Returns the IANA timezone in which the days of the agents' pool begin. */
  timezoneOf: (orgId: string) => Promise<string>
  /** Names the apps for which agents spend tokens. */
  apps: Pick<AppDirectory, 'names'>
  selectAgents: SelectAgents
  chatModels: ChatModels
  log: Log
  openStreams: OpenStreams
}

export function createAi(options: Options) {
  const { chatModels, embedding } = options
  const { models, meter } = embedding
  return {
    routes: [
      modelsRoute({ models, chatModels }),
      agentPoolRoute({ ...options, limit: options.agentTokensPerDay }),
      embeddingsRoute({ models, meter }),
      chatCompletionsRoute({ ...options, models: chatModels, meter }),
    ],
    embed: createEmbed(models),
  }
}
