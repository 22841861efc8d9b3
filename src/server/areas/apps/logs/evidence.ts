import type { AppLogs, LogWindow } from '#edge/apps.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { levelName, levelNumber } from './level.ts'

/** The newest lines of a log that are looked at. A window with more is read in part only. */
const MAX_LINES = 50_000

/** Reads windows of logs for checks. Lines are found by words, never by an expression that a text could make slow. */
export function createAppLogs({ db, maxLines = MAX_LINES }: { db: Querier; maxLines?: number }): AppLogs {
  return {
    count: (appId, window) => countLines(db, { appId, maxLines }, window),
    read: (appId, window, maxBytes) => readLines(db, { appId, maxLines }, window, maxBytes),
  }
}

type Log = { readonly appId: string; readonly maxLines: number }

type Counted = { count: number; is_complete: boolean }

async function countLines(db: Querier, log: Log, window: LogWindow) {
  const [row] = await db.query<Counted>(sql`
    with newest as (${newestLines(log)})
    select count(*) filter (where ${inWindow(window)} and ${matches(window)}) as count,
      ${isComplete(log, window)} as is_complete
    from newest`)
  return { count: row!.count, isComplete: row!.is_complete }
}

type Line = { at: Date; level: number; text: string; is_complete: boolean; fits: boolean }

async function readLines(db: Querier, log: Log, window: LogWindow, maxBytes: number) {
  const rows = await db.query<Line>(sql`
    with newest as (${newestLines(log)}),
    matching as (
      select id, at, level, text, sum(octet_length(text) + 64) over (order by id desc) <= ${maxBytes} as fits
      from newest where ${inWindow(window)} and ${matches(window)}),
    -- One line that does not fit is enough to know that there are more.
    shown as (select * from matching order by id desc limit ${Math.ceil(maxBytes / 64) + 1})
    select at, level, text, fits, (select ${isComplete(log, window)} from newest) as is_complete from shown order by id`)
  const lines = rows.filter(({ fits }) => fits).map(({ at, level, text }) => ({ at, level: levelName(level), text }))
  const isWindowRead = rows.length > 0 ? rows[0]!.is_complete : (await countLines(db, log, window)).isComplete
  return { lines, isComplete: isWindowRead && lines.length === rows.length }
}

function newestLines({ appId, maxLines }: Log): Sql {
  return sql`
    select id, at, level, text, dropped from apps.logs where app_id = ${appId} order by id desc limit ${maxLines}`
}

function inWindow({ since, until }: LogWindow): Sql {
  return sql`at >= ${since} and at < ${until}`
}

/** Lines about dropped lines are our own and never match. */
function matches({ words, level }: LogWindow): Sql {
  const wanted = words.map((word) => sql`position(lower(${word}) in lower(text)) > 0`)
  const least = level === null ? [] : [sql`level >= ${levelNumber(level)}`]
  return [...wanted, ...least].reduce((all, one) => sql`${all} and ${one}`, sql`dropped = 0`)
}

/** Whether all lines of the window were among those that were looked at, and none was dropped before it was stored. */
function isComplete({ maxLines }: Log, window: LogWindow): Sql {
  return sql`(count(*) < ${maxLines} or (select at from newest order by id limit 1) < ${window.since})
    and coalesce(sum(dropped) filter (where ${inWindow(window)}), 0) = 0`
}
