import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { GENERAL_QUESTIONS } from './general-questions.ts'
import type { EmbedRows } from './measure-scores.ts'

const MAX_MODELS = 8
/** Texts that are embedded at once, so that questions of people get their turn. */
const BATCH = 16

type Embedding = { readonly org_id: string; readonly model: string; readonly signal: AbortSignal }

/** Embeds the general questions once for each model: at a provider they cost tokens. */
export function createForeignVectors(embed: EmbedRows): (embedding: Embedding) => Promise<readonly Float32Array[]> {
  const byModel = createBoundedCache<string, readonly Float32Array[]>({ max: MAX_MODELS })
  return async (embedding) => {
    const cached = byModel.get(embedding.model)
    if (cached) return cached
    const vectors: Float32Array[] = []
    for (let from = 0; from < GENERAL_QUESTIONS.length; from += BATCH)
      vectors.push(...(await embed({ ...embedding, texts: GENERAL_QUESTIONS.slice(from, from + BATCH) })))
    byModel.set(embedding.model, vectors)
    return vectors
  }
}
