import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { type ChatModels, createChatModels } from '../areas/ai/index.ts'
import type { Resources } from './parts.ts'

/**
 * Builds the chat models of the configured providers. Use it through `parts.shared`. Their connections have no limits of
 * their own, because an answer can take long to begin; the area bounds the silence of a provider.
 */
export function composeChatModels({ config }: Resources): ChatModels & AsyncDisposable {
  const outgoing = createOperatorFetch({ headersTimeoutMs: 0, bodyTimeoutMs: 0 })
  const models = createChatModels(config.ai.providers, { outgoing })
  return { ...models, [Symbol.asyncDispose]: () => outgoing[Symbol.asyncDispose]() }
}
