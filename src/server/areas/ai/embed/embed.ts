import { BUILTIN_MODEL } from '../builtin/builtin.ts'
import type { Vector } from '../providers/provider.ts'
import type { Models } from './registry.ts'
import { createVectorCache } from './vector-cache.ts'

/** Returns the vectors of the texts, in order. Errors are ServiceErrors and never contain the texts. */
type Embed = ((model: string, texts: readonly string[], signal: AbortSignal) => Promise<Vector[]>) & {
  /** Embeds a text from the cache or by the built-in model. Returns undefined if a provider would have to be asked. */
  here(model: string, text: string, context: { readonly signal: AbortSignal }): Promise<Vector> | undefined
}

const CACHE_BYTES = 32 * 1024 * 1024

/** Embeds questions with a cache, because questions repeat. Texts of the gateway are metered and not cached. */
export function createEmbed(models: Pick<Models, 'get'>, cacheBytes = CACHE_BYTES): Embed {
  const cache = createVectorCache(cacheBytes)
  const embed = async (name: string, texts: readonly string[], signal: AbortSignal) => {
    const model = models.get(name)
    const found = texts.map((text) => cache.get(name, text))
    const missing = texts.filter((_, i) => !found[i])
    if (missing.length === 0) return found as Vector[]
    const { vectors } = await model.embed(missing, signal)
    for (const [i, text] of missing.entries()) cache.put(name, text, vectors[i]!)
    let next = 0
    return found.map((vector) => vector ?? vectors[next++]!)
  }
  const here: Embed['here'] = (name, text, context) => {
    const cached = cache.get(name, text)
    if (cached) return Promise.resolve(cached)
    return name === BUILTIN_MODEL ? embed(name, [text], context.signal).then(([vector]) => vector!) : undefined
  }
  return Object.assign(embed, { here })
}
