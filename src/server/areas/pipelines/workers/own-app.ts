import type { Principal } from '#contract/core/principal.ts'
import { requireApp } from '#ports/apps.ts'
import type { App } from '../calls/kinds.ts'
import type { PipelineDeps } from '../deps.ts'

/** Returns the app for which the gate admitted the worker. Throws NOT_FOUND if there is none with this alias. */
export async function requireOwnApp(
  { apps }: Pick<PipelineDeps, 'apps'>,
  { org_id, id }: Principal & { org_id: string },
  alias: string,
): Promise<App & { principalId: string }> {
  const app = await requireApp(apps, org_id, alias)
  return { orgId: org_id, appId: app.id, principalId: id }
}
