import { notFound } from '#contract/core/errors.ts'
import type { AppName } from '#ports/apps.ts'
import type { CheckDeps } from './deps.ts'

/** Throws "No such app." for an app that the organization does not have, and for one that is being deleted. */
export async function requireApp({ apps }: Pick<CheckDeps, 'apps'>, orgId: string, alias: string): Promise<AppName> {
  const app = await apps.find(orgId, alias)
  if (!app) throw notFound('app')
  return app
}
