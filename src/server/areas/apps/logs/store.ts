import type { LogRecord } from '#contract/apps/logs.ts'
import { arrayLiteral, numberArray } from '#lib/db/array-literal.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { LineCount } from './buckets.ts'
import { FIRST_ID } from './partition-store.ts'

/** Notified with the id of an app whose log got lines. */
export const LOGS_CHANNEL = 'apps_logs'

export type NewLine = {
  readonly deployId: string | null
  readonly at: Date
  readonly level: number
  readonly source: LogRecord['source']
  /** Clean and of bounded size. */
  readonly text: string
  readonly dropped: number
}

export type LineRow = Omit<NewLine, 'deployId'> & { readonly id: number; readonly deploy_id: string | null }

/**
 * Appends lines to an app's log, in their order. Returns false if there is no such app any more.
 *
 * The row of `log_sizes` is locked before the first line gets its id, and until the transaction ends, so the ids of one
 * app become visible in ascending order. All is one statement, so that other writers do not wait while it is sent.
 */
export async function appendLines(tx: Tx, appId: string, lines: readonly NewLine[]): Promise<boolean> {
  const bytes = lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  const deploys = numbered(lines.map(({ deployId }) => deployId))
  const sources = numbered(lines.map(({ source }) => source))
  // `unnest` beside `select` passes rows on one by one, in the order of the arrays; in `from` it would store them first.
  const notified = await tx.query(sql`
    with app as (
      insert into apps.log_sizes (app_id, bytes) select id, ${bytes} from apps.apps where id = ${appId}
      on conflict (app_id) do update set bytes = log_sizes.bytes + excluded.bytes
      returning app_id),
    line as (
      select app_id,
        unnest(${numberArray(deploys.places)}::int[]) as deploy,
        unnest(${numberArray(lines.map(({ at }) => at.getTime()))}::float8[]) as ms,
        unnest(${numberArray(lines.map(({ level }) => level))}::smallint[]) as level,
        unnest(${numberArray(sources.places)}::int[]) as source,
        unnest(${arrayLiteral(lines.map(({ text }) => text))}::text[]) as text,
        unnest(${numberArray(lines.map(({ dropped }) => dropped))}::int[]) as dropped
      from app),
    stored as (
      insert into apps.logs (app_id, deploy_id, at, level, source, text, dropped)
      select app_id, (${arrayLiteral(deploys.distinct)}::text[])[deploy], to_timestamp(ms / 1000), level,
        (${arrayLiteral(sources.distinct)}::text[])[source], text, dropped
      from line)
    select pg_notify(${LOGS_CHANNEL}, app_id) from app`)
  return notified.length === 1
}

/** Returns the distinct values, and for each value its place among them, counted from 1 as Postgres does. */
function numbered<T>(values: readonly T[]): { distinct: T[]; places: number[] } {
  const placeOf = new Map<T, number>()
  const places = values.map((value) => {
    const place = placeOf.get(value) ?? placeOf.size + 1
    placeOf.set(value, place)
    return place
  })
  return { distinct: [...placeOf.keys()], places }
}

const columns = sql`id, deploy_id, at, level, source, text, dropped`

export type LineFilter = {
  readonly words: readonly string[]
  readonly minLevel: number | undefined
  readonly deployId: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** Each word must occur in the line, in any case. A line about dropped lines always passes, so that no gap is hidden. */
function matching({ words, minLevel, deployId, since, until }: LineFilter): Sql {
  const conditions = [
    ...words.map((word) => sql`position(lower(${word}) in lower(text)) > 0`),
    ...(minLevel === undefined ? [] : [sql`level >= ${minLevel}`]),
    ...(deployId === undefined ? [] : [sql`deploy_id = ${deployId}`]),
  ].reduce((all, condition) => sql`${all} and ${condition}`, sql`true`)
  const from = since === undefined ? sql`true` : sql`at >= ${since}`
  const to = until === undefined ? sql`true` : sql`at < ${until}`
  return sql`(${conditions} or dropped > 0) and ${from} and ${to}`
}

/** The newest lines first, those before `before`. */
export function findLines(
  db: Querier,
  appId: string,
  filter: LineFilter,
  { limit, before }: { limit: number; before: number | undefined },
): Promise<LineRow[]> {
  return db.query<LineRow>(sql`
    select ${columns} from apps.logs
    where app_id = ${appId} and ${matching(filter)}
      ${before === undefined ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}`)
}

/** The oldest lines first, those after `after`. */
export function findLinesAfter(
  db: Querier,
  appId: string,
  filter: LineFilter,
  { limit, after }: { limit: number; after: number },
): Promise<LineRow[]> {
  return db.query<LineRow>(sql`
    select ${columns} from apps.logs
    where app_id = ${appId} and id > ${after} and ${matching(filter)}
    order by id limit ${limit}`)
}

/** The highest id of an app's log, 0 if it has no line. A tail that matches rarely can go on from there. */
export async function lastLineId(db: Querier, appId: string): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`
    select id from apps.logs where app_id = ${appId} order by id desc limit 1`)
  return row?.id ?? 0
}

type DeployOfApp = { readonly id: string; readonly app_id: string }
/** More lines than an app can write in a millisecond. */
const LINES_OF_ONE_TIME = 10_000

/**
 * The time of the newest line that the app itself wrote in this deploy (1970 if there is none), how many lines of that time
 * are stored or reported as missing before it, and how many lines are missing behind it. Undefined if no line was written
 * and none is missing.
 */
export async function findStoredLines(db: Querier, deploy: DeployOfApp) {
  const [newest] = await db.query<{ id: number; at: Date }>(sql`
    select id, at from apps.logs
    where app_id = ${deploy.app_id} and deploy_id = ${deploy.id} and source = 'app'
    order by id desc limit 1`)
  const dropped = await findDroppedAfter(db, deploy, newest?.id ?? 0)
  if (!newest) return dropped && { at: new Date(0), count: 0, dropped }
  const [row] = await db.query<{ count: number }>(sql`
    select sum(case source when 'app' then 1 else dropped end)::int as count from (
      select at, deploy_id, source, dropped from apps.logs where app_id = ${deploy.app_id} and id <= ${newest.id}
      order by id desc limit ${LINES_OF_ONE_TIME}
    ) line where at = ${newest.at} and deploy_id = ${deploy.id} and source in ('app', 'system')`)
  return { at: newest.at, count: row!.count, ...(dropped && { dropped }) }
}

async function findDroppedAfter(db: Querier, deploy: DeployOfApp, id: number) {
  const [row] = await db.query<{ count: number; since: Date | null }>(sql`
    select coalesce(sum(dropped), 0)::int as count, min(at) as since from apps.logs
    where app_id = ${deploy.app_id} and id > ${id} and dropped > 0
      and (deploy_id = ${deploy.id} or deploy_id is null)`)
  return row!.since === null ? undefined : { count: row!.count, since: row!.since }
}

export async function countDropped(db: Querier, appId: string, { since, until }: LineFilter): Promise<number> {
  const [row] = await db.query<{ dropped: number }>(sql`
    select coalesce(sum(dropped), 0)::int as dropped from apps.logs
    where app_id = ${appId} and dropped > 0
      and at >= ${since ?? new Date(0)} and at < ${until ?? new Date('9999-01-01T00:00:00.000Z')}`)
  return row!.dropped
}

/**
 * Counts the newest `limit` lines by level and by part of the time, a part being `seconds` long and numbered from 1970 on.
 * `first` is the time of the oldest line that was counted, `total` how many there are.
 */
export async function countLines(
  db: Querier,
  appId: string,
  filter: LineFilter,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<(LineCount & { readonly first: Date; readonly total: number })[]> {
  return db.query(sql`
    with line as materialized (
      select at, level from apps.logs where app_id = ${appId} and ${matching(filter)} order by id desc limit ${limit})
    select floor(extract(epoch from at) / ${seconds})::bigint as bucket, level, count(*)::int as count,
      (select min(at) from line) as first, (select count(*)::int from line) as total
    from line group by bucket, level`)
}

/** The time of the oldest line that is stored, if there is one. */
export async function findFirstTime(db: Querier, appId: string): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date }>(sql`
    select at from apps.logs where app_id = ${appId} order by id limit 1`)
  return row?.at
}

/** Finds the output of a deploy's build and the lines of svc about the deploy, oldest first. */
export function findDeployLines(db: Querier, deployId: string, after: number, limit: number): Promise<LineRow[]> {
  return db.query<LineRow>(sql`
    select ${columns} from apps.logs
    where deploy_id = ${deployId} and source in ('build', 'system') and id > ${after}
    order by id limit ${limit}`)
}

/**
 * Removes up to `limit` of the oldest lines, and returns how many. With `formerBefore` only lines of the former table
 * that are older. The border of ids lets Postgres leave out the partitions of later lines.
 */
export async function removeLines(tx: Tx, appId: string, limit: number, formerBefore?: Date): Promise<number> {
  const condition = formerBefore ? sql`id < ${FIRST_ID} and at < ${formerBefore}` : sql`true`
  const [row] = await tx.query<{ count: number; bytes: number }>(sql`
    with chosen as (select id from apps.logs where app_id = ${appId} and ${condition} order by id limit ${limit}),
    removed as (
      delete from apps.logs where app_id = ${appId} and ${condition} and id <= (select max(id) from chosen)
      returning octet_length(text) as size)
    select count(*)::int as count, coalesce(sum(size), 0) as bytes from removed`)
  if (row!.count > 0) {
    await tx.query(sql`update apps.log_sizes set bytes = greatest(bytes - ${row!.bytes}, 0) where app_id = ${appId}`)
  }
  return row!.count
}

/** Apps whose log is larger than that, largest first. */
export function findLargeLogs(db: Querier, maxBytes: number): Promise<{ app_id: string }[]> {
  return db.query(sql`select app_id from apps.log_sizes where bytes > ${maxBytes} order by bytes desc limit 100`)
}

export function listLogs(db: Querier): Promise<{ app_id: string }[]> {
  return db.query(sql`select app_id from apps.log_sizes order by app_id`)
}
