import type { OpenStreams } from '#edge/stream/open-streams.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import type { Clock } from '#lib/time/clock.ts'
import { agentPoolRoute } from './agent-pool/read.ts'
import { createBuiltin } from './builtin/builtin.ts'
import type { ChatModels } from './chat/chat-models.ts'
import { chatCompletionsRoute } from './chat/completions.ts'
import { createEmbed } from './embed/embed.ts'
import { createEmbedContent } from './embed/embed-content.ts'
import { embeddingsRoute } from './embed/embeddings.ts'
import { createModels, type Remote } from './embed/registry.ts'
import { modelsRoute } from './models.ts'
import { createOpenAiProvider } from './providers/openai-provider.ts'
import type { Outgoing, ProviderSettings } from './providers/provider.ts'
import { createMeter } from './usage/usage.ts'

export { agentPoolLoop, createAgentPool } from './agent-pool/pool.ts'
export { BUILTIN_MODEL } from './builtin/builtin.ts'
export { type ChatModels, createChatModels } from './chat/chat-models.ts'
export { aiEraser } from './erase-store.ts'
export type { ProviderModel, ProviderSettings } from './providers/provider.ts'

type Options = {
  db: Querier
  clock: Clock
  outgoing: Outgoing
  providers: readonly ProviderSettings[]
  tokensPerDay: number
  agentTokensPerDay: number
  /** Returns the IANA timezone in which the days of the agents' pool begin. */
  timezoneOf: (orgId: string) => Promise<string>
  chatModels: ChatModels
  log: Log
  openStreams: OpenStreams
}

export function createAi(options: Options) {
  const { db, clock, outgoing, providers, tokensPerDay, chatModels } = options
  const builtin = createBuiltin()
  const remotes = providers.filter(({ kind }) => kind === 'openai')
  const models = createModels(
    builtin,
    remotes.map((settings): Remote => ({ ...settings, embed: createOpenAiProvider(settings, { outgoing }) })),
  )
  const meter = createMeter({ db, clock, limit: tokensPerDay })
  return {
    routes: [
      modelsRoute({ models, chatModels }),
      agentPoolRoute({ ...options, limit: options.agentTokensPerDay }),
      embeddingsRoute({ models, meter }),
      chatCompletionsRoute({ ...options, models: chatModels, meter }),
    ],
    embed: createEmbed(models),
    embedContent: createEmbedContent({ models, meter }),
    models,
    /** Loads the built-in model before the first request. */
    warm: () => builtin.warm(),
    /** Rejects if the built-in model could not be loaded when it was last needed. */
    checkModel: () => builtin.check(),
    [Symbol.asyncDispose]: () => builtin[Symbol.asyncDispose](),
  }
}
