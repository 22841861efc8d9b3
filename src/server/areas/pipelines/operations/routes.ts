import { notFound } from '#contract/core/errors.ts'
import {
  changePipeline,
  deletePipeline,
  listPipelineRuns,
  listPipelines,
  type Pipeline,
  readPipeline,
  readPipelineRun,
  readPipelineRunLog,
  runPipeline,
} from '#contract/pipelines.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { AppDirectory } from '#ports/apps.ts'
import { findServed } from '../registry/connected.ts'
import { type PipelineRow, pagePipelines, requirePipeline } from '../registry/store.ts'
import type { RunDeps } from '../runs/deps.ts'
import { findRunLines } from '../runs/log-store.ts'
import { presentPipeline, presentRun } from '../runs/present.ts'
import { requestRun } from '../runs/request.ts'
import { findLatestRuns, pageRuns, requireRun } from '../runs/store.ts'
import { removePipeline, switchPipeline } from '../schedule/switch.ts'

type RouteDeps = RunDeps & { readonly apps: Pick<AppDirectory, 'find'> }

export function pipelineRoutes(deps: RouteDeps): Route[] {
  const { db } = deps
  const needApp = async (orgId: string, alias: string) => {
    const app = await deps.apps.find(orgId, alias)
    if (!app) throw notFound('app')
    return app
  }
  const needPipeline = async (orgId: string, { alias, name }: { alias: string; name: string }) =>
    requirePipeline(db, (await needApp(orgId, alias)).id, name)
  return [
    route(listPipelines, async ({ alias, limit, cursor }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      const rows = await pagePipelines(db, { appId: app.id, after: readCursor(cursor), limit })
      const shown = await showPipelines(db, app.id, rows)
      return toPage(rows, limit, ({ id }) => shown.get(id)!)
    }),
    route(readPipeline, async (input, { principal }) =>
      showPipeline(deps, await needPipeline(principal.org_id, input)),
    ),
    route(changePipeline, async ({ alias, name, enabled }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      const { id } = await requirePipeline(db, app.id, name)
      return showPipeline(deps, await switchPipeline(deps, id, enabled, { principal, app }))
    }),
    route(deletePipeline, async ({ alias, name }, { principal }) => {
      const app = await needApp(principal.org_id, alias)
      const { id } = await requirePipeline(db, app.id, name)
      await removePipeline(deps, id, { principal, app })
      return { name, deleted: true as const }
    }),
    route(runPipeline, async (input, { principal }) => {
      const { id } = await needPipeline(principal.org_id, input)
      return presentRun(await requestRun(deps, id, principal.user_id))
    }),
    route(listPipelineRuns, async ({ limit, cursor, ...input }, { principal }) => {
      const { id } = await needPipeline(principal.org_id, input)
      return toPage(await pageRuns(db, { pipelineId: id, after: readCursor(cursor), limit }), limit, presentRun)
    }),
    route(readPipelineRun, async ({ run_id, ...input }, { principal }) => {
      const { id } = await needPipeline(principal.org_id, input)
      return presentRun(await requireRun(db, id, run_id))
    }),
    route(readPipelineRunLog, async ({ run_id, after, limit, ...input }, { principal }) => {
      const { id } = await needPipeline(principal.org_id, input)
      await requireRun(db, id, run_id)
      const rows = await findRunLines(db, run_id, after, limit + 1)
      const shown = rows.slice(0, limit)
      return {
        lines: shown.map(({ at, level, text }) => ({ at: at.toISOString(), level, text })),
        last: shown.at(-1)?.n ?? null,
        has_more: rows.length > limit,
      }
    }),
  ]
}

async function showPipeline({ db }: RunDeps, row: PipelineRow): Promise<Pipeline> {
  return (await showPipelines(db, row.app_id, [row])).get(row.id)!
}

async function showPipelines(
  db: Querier,
  appId: string,
  rows: readonly PipelineRow[],
): Promise<ReadonlyMap<string, Pipeline>> {
  const column = (key: 'id' | 'name') => rows.map((row) => row[key])
  const [latest, served] = [await findLatestRuns(db, column('id')), await findServed(db, appId, column('name'))]
  return new Map(
    rows.map((row) => [row.id, presentPipeline(row, { isServed: served.has(row.name), lastRun: latest.get(row.id) })]),
  )
}
