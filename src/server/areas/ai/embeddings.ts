import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { BUILTIN_MODEL, createBuiltin } from './builtin/builtin.ts'
import { createEmbed } from './embed/embed.ts'
import { createEmbedContent } from './embed/embed-content.ts'
import { createModels, type Remote } from './embed/registry.ts'
import { createOpenAiProvider } from './providers/openai-provider.ts'
import type { Outgoing, ProviderSettings } from './providers/provider.ts'
import { createMeter } from './usage/usage.ts'

export type EmbeddingOptions = {
  db: Querier
  clock: Clock
  outgoing: Outgoing
  providers: readonly ProviderSettings[]
  tokensPerDay: number
}

export type EmbeddingModels = ReturnType<typeof createEmbeddings>

/** The embedding models of a process. The built-in one is loaded when it is first needed. */
export function createEmbeddings({ db, clock, outgoing, providers, tokensPerDay }: EmbeddingOptions) {
  const builtin = createBuiltin()
  const remotes = providers.filter(({ kind }) => kind === 'openai')
  const models = createModels(
    builtin,
    remotes.map((settings): Remote => ({ ...settings, embed: createOpenAiProvider(settings, { outgoing }) })),
  )
  const meter = createMeter({ db, clock, limit: tokensPerDay })
  const embedContent = createEmbedContent({ models, meter })
  return {
    models,
    meter,
    embed: createEmbed(models),
    embedContent,
    /** Like `embedContent`, for work that svc does by itself: what the built-in model does then counts for nobody. */
    embedUnasked: async (content: Parameters<typeof embedContent>[0]) =>
      content.model === BUILTIN_MODEL
        ? (await builtin.embed(content.texts, content.signal)).vectors
        : embedContent(content),
    /** Loads the built-in model before the first request. */
    warm: () => builtin.warm(),
    /** Rejects if the built-in model could not be loaded when it was last needed. */
    checkModel: () => builtin.check(),
    [Symbol.asyncDispose]: () => builtin[Symbol.asyncDispose](),
  }
}
