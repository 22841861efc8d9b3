import { BUILTIN_MODEL, createEmbeddings } from '../areas/ai/index.ts'
import type { Resources } from './parts.ts'

/** Builds the embedding models. Use it through `parts.shared`: the gateway embeds questions, the worker measures with them. */
export function composeEmbeddings({ config, db, clock, outgoing }: Resources) {
  return createEmbeddings({ ...config.ai, db, clock, outgoing })
}

/** Whether the text of rows may be embedded with a model without anybody asking for it: it must stay in this process. */
export function mayEmbedRows(model: string): boolean {
  return model === BUILTIN_MODEL
}
