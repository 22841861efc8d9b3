import { notFound } from '#contract/core/errors.ts'
import type { Principal } from '#contract/core/principal.ts'
import type { PipelineDeps } from '../deps.ts'
import type { App } from './store.ts'

/** Returns the app for which the gate admitted the worker. Throws NOT_FOUND if there is none with this alias. */
export async function requireApp(
  { apps }: Pick<PipelineDeps, 'apps'>,
  { org_id, id }: Principal & { org_id: string },
  alias: string,
): Promise<App & { principalId: string }> {
  const app = await apps.find(org_id, alias)
  if (!app) throw notFound('app')
  return { orgId: org_id, appId: app.id, principalId: id }
}
