import { createEmbeddings } from '#contract/ai.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Vector } from '../providers/provider.ts'
import { type Meter, mostTokens } from '../usage/usage.ts'
import type { Models } from './registry.ts'

export function embeddingsRoute({ models, meter }: { models: Pick<Models, 'get'>; meter: Meter }): Route {
  return route(createEmbeddings, async ({ model: name, input, encoding_format, dimensions }, context) => {
    const { principal, signal } = context
    const model = models.get(name)
    const texts = typeof input === 'string' ? [input] : input
    const { vectors, tokens } = await meter.spend(principal.org_id, mostTokens(texts, model.maxTokens), signal, () =>
      model.embed(texts, signal, dimensions),
    )
    return {
      object: 'list' as const,
      data: vectors.map((vector, index) => {
        return { object: 'embedding' as const, index, embedding: encode(vector, encoding_format) }
      }),
      model: name,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }
  })
}

/** Encodes a vector. Base64 contains little-endian floats, as OpenAI clients expect. */
function encode(vector: Vector, format: 'float' | 'base64'): number[] | string {
  return format === 'float'
    ? [...vector]
    : Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
