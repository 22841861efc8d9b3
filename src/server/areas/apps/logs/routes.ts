import {
  countLogs,
  ingestLogs,
  ingestOtlp,
  type LogRecord,
  MAX_COUNTED_LINES,
  searchLogs,
  tailLogs,
} from '#contract/apps/logs.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { AppDeps } from '../model/deps.ts'
import { requireApp } from '../model/store.ts'
import { bucketSeconds, toBuckets } from './buckets.ts'
import { readNdjson } from './ingest-ndjson.ts'
import { answerOtlp } from './ingest-otlp.ts'
import { levelNumber } from './level.ts'
import { presentLine } from './present.ts'
import { countDropped, countLines, findFirstTime, findLines, type LineFilter } from './store.ts'
import { tailEvents } from './tail.ts'

type Filter = { text?: string | undefined; level?: LogRecord['level'] | undefined; deploy_id?: string | undefined }

export function logRoutes(deps: Pick<AppDeps, 'db' | 'clock'>): Route[] {
  const { db } = deps
  return [
    route(searchLogs, async ({ alias, limit, cursor, since, until, ...filter }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      const lineFilter = { ...readFilter(filter), since: toDate(since), until: toDate(until) }
      const rows = await findLines(db, app.id, lineFilter, { limit: limit + 1, before: readLineCursor(cursor) })
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        items: shown.map(presentLine),
        next_cursor: last ? String(last.id) : null,
        dropped: await countDropped(db, app.id, lineFilter),
      }
    }),
    route(countLogs, async ({ alias, since: from, until: to, ...filter }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      const until = toDate(to) ?? deps.clock.now()
      const since = toDate(from) ?? (await findFirstTime(db, app.id)) ?? until
      if (since > until) return { bucket_seconds: 1, counted_since: null, items: [] }
      const seconds = bucketSeconds(since, until)
      const lines = { ...readFilter(filter), since, until }
      const counts = await countLines(db, app.id, lines, { seconds, limit: MAX_COUNTED_LINES })
      const isCut = counts[0]?.total === MAX_COUNTED_LINES
      return {
        bucket_seconds: seconds,
        counted_since: isCut ? counts[0]!.first.toISOString() : null,
        items: toBuckets(counts, since, until, seconds),
      }
    }),
    route(tailLogs, async function* ({ alias, lines, last_id, ...filter }, { principal, signal }) {
      const app = await requireApp(db, principal.org_id, alias)
      const after = last_id === undefined ? undefined : readLineCursor(last_id)
      yield* tailEvents(db, { appId: app.id, filter: readFilter(filter), lines, after, signal })
    }),
    route(ingestLogs, async ({ alias }, { principal }, body) => {
      const app = await requireApp(db, principal.org_id, alias)
      return readNdjson(deps, app.id, body)
    }),
    route(ingestOtlp, async ({ alias }, { principal, request }) => {
      const app = await requireApp(db, principal.org_id, alias)
      return answerOtlp(deps, app.id, request)
    }),
  ]
}

function readFilter({ text, level, deploy_id }: Filter): LineFilter {
  return {
    words: text?.split(/\s+/).filter((word) => word !== '') ?? [],
    minLevel: level && levelNumber(level),
    deployId: deploy_id,
  }
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}

/** Ids of lines are numbers, and a page or a stream goes on from the last one. */
function readLineCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (!/^\d{1,16}$/.test(cursor))
    throw new ServiceError('INVALID_REQUEST', 'cursor: must be one that this log answered')
  return Number(cursor)
}
