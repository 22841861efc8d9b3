import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { createBuiltin } from '../builtin/builtin.ts'
import { createOpenAiProvider } from '../providers/openai-provider.ts'
import type { Outgoing, ProviderSettings } from '../providers/provider.ts'
import { createMeter } from '../usage/usage.ts'
import { createEmbedContent } from './embed-content.ts'
import { createModels, type Remote } from './registry.ts'

type Options = {
  db: Querier
  clock: Clock
  outgoing: Outgoing
  providers: readonly ProviderSettings[]
  tokensPerDay: number
  /** Belongs to the process, which ends it. */
  builtin: ReturnType<typeof createBuiltin>
}

export type Embedding = ReturnType<typeof createEmbedding>

/** The embedding models of a service: the built-in one, which is loaded when it is first needed, and those of providers. */
export function createEmbedding({ db, clock, outgoing, providers, tokensPerDay, builtin }: Options) {
  const remotes = providers.filter(({ kind }) => kind === 'openai')
  const models = createModels(
    builtin,
    remotes.map((settings): Remote => ({ ...settings, embed: createOpenAiProvider(settings, { outgoing }) })),
  )
  const meter = createMeter({ db, clock, limit: tokensPerDay })
  return {
    models,
    meter,
    embedContent: createEmbedContent({ models, meter }),
    /** Loads the built-in model before the first request. */
    warm: () => builtin.warm(),
    /** Rejects if the built-in model could not be loaded when it was last needed. */
    checkModel: () => builtin.check(),
  }
}
