import { listModels } from '#contract/ai.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { ChatModels } from './chat/chat-models.ts'
import type { Models } from './embed/registry.ts'

type Deps = { models: Pick<Models, 'list'>; chatModels: Pick<ChatModels, 'list'> }

export function modelsRoute({ models, chatModels }: Deps): Route {
  return route(listModels, async () => {
    const embedding = new Map(models.list().map(({ name, dimensions }) => [name, dimensions ?? null]))
    const chat = new Map(chatModels.list().map(({ name, tools }) => [name, tools]))
    return {
      object: 'list' as const,
      data: [...new Set([...embedding.keys(), ...chat.keys()])].map((name) => ({
        id: name,
        object: 'model' as const,
        // OpenAI requires a creation time; the models here have none.
        created: 0,
        owned_by: name.slice(0, name.indexOf('/')),
        dimensions: embedding.get(name) ?? null,
        capabilities: [
          ...(embedding.has(name) ? (['embeddings'] as const) : []),
          ...(chat.has(name) ? (['chat'] as const) : []),
          ...(chat.get(name) ? (['tools'] as const) : []),
        ],
      })),
    }
  })
}
