import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { AppLogs, LogWindow } from '#ports/apps.ts'
import { levelName, levelNumber } from './level.ts'

/** How many of the newest lines of a log are looked at, and how many bytes. A window with more is read in part only. */
type Limits = { readonly lines: number; readonly bytes: number }
const LIMITS: Limits = { lines: 50_000, bytes: 32 * 1024 * 1024 }

type Log = { readonly appId: string; readonly limits: Limits }

/** Reads windows of logs for checks. Lines are found by words, never by an expression that a text could make slow. */
export function createAppLogs({ db, limits = LIMITS }: { db: Querier; limits?: Limits }): AppLogs {
  return {
    count: (appId, window) => countLines(db, { appId, limits }, window),
    read: async (appId, window, maxBytes) => {
      const log = { appId, limits }
      const { count, isComplete } = await countLines(db, log, window)
      const lines = await readLines(db, log, window, maxBytes)
      return { lines, isComplete: isComplete && lines.length >= count }
    },
  }
}

type Counted = { count: number; is_complete: boolean }

async function countLines(db: Querier, log: Log, window: LogWindow) {
  const [row] = await db.query<Counted>(sql`
    with newest as (${newestLines(log)})
    select count(*) filter (where ${matches(window)}) as count, ${isWindowRead(log, window)} as is_complete
    from newest`)
  return { count: row!.count, isComplete: row!.is_complete }
}

type Line = { at: Date; level: number; text: string; revision_id: string | null }

/** Each line counts 64 bytes more than its text, for its time and level. */
async function readLines(db: Querier, log: Log, window: LogWindow, maxBytes: number) {
  const rows = await db.query<Line>(sql`
    with newest as (${newestLines(log)}),
    matching as (
      select id, deploy_id, at, level, text, sum(octet_length(text) + 64) over (order by id desc) as bytes
      from newest where ${matches(window)})
    select matching.at, matching.level, matching.text, deploys.revision_id from matching
    left join apps.deploys on deploys.id = matching.deploy_id and deploys.app_id = ${log.appId}
    where matching.bytes <= ${maxBytes} order by matching.id`)
  return rows.map(({ at, level, text, revision_id }) => ({
    at,
    level: levelName(level),
    text,
    revisionId: revision_id,
  }))
}

/** The text of lines beyond the limit of bytes is null. */
function newestLines({ appId, limits }: Log): Sql {
  return sql`
    select id, deploy_id, at, level, dropped,
      case when sum(octet_length(text)) over (order by id desc) <= ${limits.bytes} then text end as text
    from (
      select id, deploy_id, at, level, dropped, text from apps.logs
      where app_id = ${appId} order by id desc limit ${limits.lines}
    ) as line`
}

/** Lines about dropped lines are our own and never match. */
function matches(window: LogWindow): Sql {
  const { words, level } = window
  const wordConditions = words.map((word) => sql`position(lower(${word}) in lower(text)) > 0`)
  const least = level === null ? [] : [sql`level >= ${levelNumber(level)}`]
  const always = sql`${inWindow(window)} and dropped = 0 and text is not null`
  return [...least, ...wordConditions].reduce((all, one) => sql`${all} and ${one}`, always)
}

function inWindow({ since, until }: LogWindow): Sql {
  return sql`at >= ${since} and at < ${until}`
}

/** Whether all lines of the window were among those that were looked at, and none was dropped before it was stored. */
function isWindowRead({ limits }: Log, window: LogWindow): Sql {
  return sql`
    (count(*) < ${limits.lines} and count(*) = count(text)
      or coalesce((select at from newest where text is not null order by id limit 1) < ${window.since}, false))
    and coalesce(sum(dropped) filter (where ${inWindow(window)}), 0) = 0`
}
