import { createEmbedding } from '../areas/ai/index.ts'
import type { Resources } from './parts.ts'

/** Builds the embedding models of the process. Use it through `parts.shared`, so that the built-in one is loaded once. */
export function composeEmbedding({ config, db, clock, outgoing }: Resources) {
  return createEmbedding({ ...config.ai, db, clock, outgoing })
}
