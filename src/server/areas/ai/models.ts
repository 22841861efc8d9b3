import { listModels } from '#contract/ai.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Models } from './registry.ts'

export function modelsRoute({ models }: { models: Pick<Models, 'list'> }): Route {
  return route(listModels, async () => ({
    object: 'list' as const,
    data: models.list().map(({ name, dimensions }) => ({
      id: name,
      object: 'model' as const,
      // OpenAI requires a creation time; the models here have none.
      created: 0,
      owned_by: name.slice(0, name.indexOf('/')),
      dimensions: dimensions ?? null,
    })),
  }))
}
