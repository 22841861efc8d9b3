import {
  changePipeline,
  deletePipeline,
  listPipelineRuns,
  listPipelines,
  type Pipeline,
  readPipeline,
  readPipelineRun,
  readPipelineRunLog,
  readPipelineSeries,
  runPipeline,
} from '#contract/pipelines.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { everyBucket, runBuckets } from '#edge/route/series-buckets.ts'
import { readSeriesTime } from '#edge/route/series-time.ts'
import { toAnswer } from '#edge/route/stored.ts'
import type { Querier } from '#lib/db/db.ts'
import { type AppDirectory, requireApp } from '#ports/apps.ts'
import { findServed } from '../calls/served-store.ts'
import { type PipelineRow, pagePipelines, requirePipeline } from '../registry/store.ts'
import type { RunDeps } from '../runs/deps.ts'
import { findRunLines } from '../runs/log-store.ts'
import { requestRun } from '../runs/request.ts'
import { readRunBuckets, toPoint } from '../runs/series-store.ts'
import { findLatestRuns, pageRuns, requireRun } from '../runs/store.ts'
import { removePipeline, switchPipeline } from '../schedule/switch.ts'

type RouteDeps = RunDeps & { readonly apps: Pick<AppDirectory, 'find'> }

export function pipelineRoutes(deps: RouteDeps): Route[] {
  const { db, apps } = deps
  const needPipeline = async (orgId: string, { alias, name }: { alias: string; name: string }) =>
    requirePipeline(db, (await requireApp(apps, orgId, alias)).id, name)
  return [
    route(listPipelines, async ({ alias, limit, cursor }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const rows = await pagePipelines(db, app.id, { before: readCursor(cursor), limit })
      return toPage(await showPipelines(db, app.id, rows), limit, (pipeline) => pipeline)
    }),
    route(readPipeline, async (input, { principal }) =>
      showPipeline(deps, await needPipeline(principal.org_id, input)),
    ),
    route(changePipeline, async ({ alias, name, enabled }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const { id } = await requirePipeline(db, app.id, name)
      return showPipeline(deps, await switchPipeline(deps, id, enabled, { principal, app }))
    }),
    route(deletePipeline, async ({ alias, name }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const { id } = await requirePipeline(db, app.id, name)
      await removePipeline(deps, id, { principal, app })
      return { name, deleted: true as const }
    }),
    route(runPipeline, async (input, { principal }) => {
      const { id } = await needPipeline(principal.org_id, input)
      return toAnswer(await requestRun(deps, id, principal.user_id))
    }),
    route(listPipelineRuns, async ({ limit, cursor, ...input }, { principal }) => {
      const { id } = await needPipeline(principal.org_id, input)
      return toPage(await pageRuns(db, id, { before: readCursor(cursor), limit }), limit, toAnswer)
    }),
    route(readPipelineSeries, async (input, { principal }) => {
      const { id } = await needPipeline(principal.org_id, input)
      const buckets = runBuckets(readSeriesTime(input, deps.clock.now()))
      const rows = await readRunBuckets(db, id, buckets)
      return { bucket_seconds: buckets.seconds, items: everyBucket(rows, buckets, toPoint) }
    }),
    route(readPipelineRun, async ({ run_id, ...input }, { principal }) => {
      const { id } = await needPipeline(principal.org_id, input)
      return toAnswer(await requireRun(db, id, run_id))
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
  const [pipeline] = await showPipelines(db, row.app_id, [row])
  return pipeline!
}

async function showPipelines(db: Querier, appId: string, rows: readonly PipelineRow[]): Promise<Pipeline[]> {
  const column = (key: 'id' | 'name') => rows.map((row) => row[key])
  const latest = await findLatestRuns(db, column('id'))
  const served = await findServed(db, appId, 'pipeline', column('name'))
  return rows.map(({ next_at, ...row }) => {
    const run = latest.get(row.id)
    const pipeline = toAnswer({ ...row, next_run_at: next_at, is_served: served.has(row.name) })
    return { ...pipeline, last_run: run ? toAnswer(run) : null }
  })
}
