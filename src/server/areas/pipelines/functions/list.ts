import { ServiceError } from '#contract/core/errors.ts'
import { type AppFunction, listFunctions } from '#contract/functions.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireApp } from '#ports/apps.ts'
import type { PipelineDeps } from '../deps.ts'
import { type FunctionRow, pageFunctions } from './store.ts'

export function listRoute({ db, apps }: Pick<PipelineDeps, 'db' | 'apps'>): Route {
  return route(listFunctions, async ({ alias, limit, cursor }, { principal }) => {
    const app = alias === undefined ? undefined : await requireApp(apps, principal.org_id, alias)
    const which = { orgId: principal.org_id, appId: app?.id ?? null, after: readAfter(cursor), limit: limit + 1 }
    const rows = await pageFunctions(db, which)
    const shown = rows.slice(0, limit)
    const names = await apps.names(principal.org_id, [...new Set(shown.map(({ app_id }) => app_id))])
    const last = rows.length > limit ? shown.at(-1) : undefined
    return {
      items: shown.flatMap((row) => present(row, names.get(row.app_id)?.alias)),
      next_cursor: last ? Buffer.from(`${last.app_id} ${last.name}`).toString('base64url') : null,
    }
  })
}

function readAfter(cursor: string | undefined): { appId: string; name: string } | undefined {
  if (cursor === undefined) return undefined
  const [appId, name, ...rest] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  if (!appId || !name || rest.length > 0) {
    throw new ServiceError('INVALID_REQUEST', 'cursor: must be a `next_cursor` of this list')
  }
  return { appId, name }
}

/** An app that was deleted meanwhile has no name any more. */
function present(row: FunctionRow, alias: string | undefined): AppFunction[] {
  if (alias === undefined) return []
  const { app_id: _, repeatable: __, input_schema, ...shown } = row
  return [{ ...shown, alias, input_schema: JSON.parse(input_schema) as AppFunction['input_schema'] }]
}
