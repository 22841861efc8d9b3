import type { Vector } from '../providers/provider.ts'
import { type Meter, mostTokens } from '../usage/usage.ts'
import type { Models } from './registry.ts'

type Content = { org_id: string; model: string; texts: readonly string[]; signal: AbortSignal }

/** Embeds rows of a data source: metered like texts of the gateway, and never cached. */
type EmbedContent = (content: Content) => Promise<Vector[]>

export function createEmbedContent({ models, meter }: { models: Pick<Models, 'get'>; meter: Meter }): EmbedContent {
  return async ({ org_id, model: name, texts, signal }) => {
    const model = models.get(name)
    const { vectors } = await meter.spend(org_id, mostTokens(texts, model.maxTokens), signal, () =>
      model.embed(texts, signal),
    )
    return vectors
  }
}
