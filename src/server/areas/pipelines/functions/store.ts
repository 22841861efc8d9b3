import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type FunctionRow = {
  readonly app_id: string
  readonly name: string
  readonly description: string
  /** JSON. */
  readonly input_schema: string
  readonly timeout_seconds: number
  readonly repeatable: boolean
  readonly connected: boolean
}

const columns = sql`
  functions.app_id, functions.name, functions.description, functions.input_schema, functions.timeout_seconds,
  functions.repeatable, exists (
    select from pipelines.served join pipelines.workers on workers.id = served.worker_id
    where served.app_id = functions.app_id and served.kind = 'function' and served.name = functions.name
      and workers.expires_at > clock_timestamp()) as connected`

type Which = {
  readonly orgId: string
  readonly appId: string | null
  /** The last function of the page before. */
  readonly after: { readonly appId: string; readonly name: string } | undefined
  readonly limit: number
}

export function pageFunctions(db: Querier, { orgId, appId, after, limit }: Which): Promise<FunctionRow[]> {
  return db.query<FunctionRow>(sql`
    select ${columns} from pipelines.functions
    where org_id = ${orgId} and (${appId}::text is null or app_id = ${appId})
      and (${after === undefined} or (app_id, name) > (${after?.appId ?? ''}, ${after?.name ?? ''}))
    order by app_id, name limit ${limit}`)
}

export type CallableFunction = FunctionRow & {
  readonly org_id: string
  /** Calls of the whole app that wait for a worker, its pipeline runs among them. */
  readonly queued: number
  /** Changes whenever a worker registers the function. */
  readonly version: string
}

export type FunctionLookup = { readonly appId: string; readonly name: string }

/** Finds several functions at once, each in the place of the one that was asked for. */
export async function findFunctions(db: Querier, lookups: readonly FunctionLookup[]) {
  const rows = await db.query<CallableFunction & { place: number }>(sql`
    select ${columns}, functions.org_id, lookup.place, functions.registered_at::text as version, (
      select count(*) from pipelines.calls where calls.app_id = functions.app_id and calls.state = 'queued') as queued
    from pipelines.functions
    join unnest(${lookups.map(({ appId }) => appId)}::text[], ${lookups.map(({ name }) => name)}::text[])
      with ordinality as lookup (app_id, name, place) using (app_id, name)`)
  const found = new Map(rows.map(({ place, ...row }) => [place, row]))
  return lookups.map((_, i) => found.get(i + 1))
}
