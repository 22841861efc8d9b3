import { createBuiltin, createEmbedding } from '../areas/ai/index.ts'
import type { ServiceParts } from './parts.ts'

/** Builds the embedding models of a service. The built-in one is loaded once in a process. */
export function composeEmbedding({ config, db, clock, outgoing, shared }: ServiceParts) {
  return createEmbedding({ ...config.ai, db, clock, outgoing, builtin: shared(loadOnce) })
}

/** Named, because what is shared is found by the function that builds it. */
function loadOnce() {
  return createBuiltin()
}
