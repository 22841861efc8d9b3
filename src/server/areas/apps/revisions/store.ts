import type { Revision, RevisionFile } from '#contract/apps/revisions.ts'
import { notFound } from '#contract/core/errors.ts'
import type { PageQuery } from '#edge/route/paging.ts'
import { type Stored, toAnswer } from '#edge/route/stored.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type RevisionRow = Stored<Omit<Revision, 'digest'>> & {
  readonly app_id: string
  readonly org_id: string
  readonly digest: Buffer
}

const COLUMNS = sql`id, app_id, org_id, digest, file_count, total_bytes, message, created_by, created_at`

/** Takes the files sorted. Returns false when the app has a revision of that digest. */
export async function insertRevision(tx: Tx, row: RevisionRow, files: readonly RevisionFile[]): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into apps.revisions
      (id, app_id, org_id, digest, manifest, file_count, total_bytes, message, created_by, created_at)
    values
      (${row.id}, ${row.app_id}, ${row.org_id}, ${row.digest}, ${JSON.stringify(files)},
       ${row.file_count}, ${row.total_bytes}, ${row.message}, ${row.created_by}, ${row.created_at})
    on conflict (app_id, digest) do nothing
    returning id`)
  return rows.length === 1
}

export async function findByDigest(db: Querier, appId: string, digest: Buffer): Promise<RevisionRow | undefined> {
  const [row] = await db.query<RevisionRow>(sql`
    select ${COLUMNS} from apps.revisions where app_id = ${appId} and digest = ${digest}`)
  return row
}

export async function requireRevision(db: Querier, appId: string, id: string): Promise<RevisionRow> {
  const [row] = await db.query<RevisionRow>(sql`
    select ${COLUMNS} from apps.revisions where app_id = ${appId} and id = ${id}`)
  if (!row) throw notFound('revision')
  return row
}

/** Returns the revision of the app that was created before this one, or undefined for the first. */
export async function findRevisionBefore(db: Querier, appId: string, id: string): Promise<RevisionRow | undefined> {
  const [row] = await db.query<RevisionRow>(sql`
    select ${COLUMNS} from apps.revisions where app_id = ${appId} and id < ${id} order by id desc limit 1`)
  return row
}

/** Newest first, one row more than `limit`. */
export async function pageRevisions(db: Querier, appId: string, { before, limit }: PageQuery): Promise<RevisionRow[]> {
  return db.query<RevisionRow>(sql`
    select ${COLUMNS} from apps.revisions
    where app_id = ${appId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/** Returns the files of a revision, sorted by path. Undefined if the organization or the app has no such revision. */
export async function readManifest(db: Querier, owner: { orgId: string } | { appId: string }, id: string) {
  const isOwn = 'orgId' in owner ? sql`org_id = ${owner.orgId}` : sql`app_id = ${owner.appId}`
  const [row] = await db.query<{ manifest: RevisionFile[] }>(sql`
    select manifest from apps.revisions where ${isOwn} and id = ${id}`)
  return row?.manifest
}

/** Returns the content of one file, or undefined if the revision or the file does not exist. */
export async function readFile(db: Querier, appId: string, id: string, path: string): Promise<Buffer | undefined> {
  const [row] = await db.query<{ content: Buffer }>(sql`
    select blob.content
    from apps.revisions as revision
    cross join lateral jsonb_path_query_first(
      revision.manifest, '$[*] ? (@.path == $path)', jsonb_build_object('path', ${path}::text)) as file
    join apps.blobs as blob on blob.org_id = revision.org_id and blob.sha256 = decode(file ->> 'sha256', 'hex')
    where revision.app_id = ${appId} and revision.id = ${id}`)
  return row?.content
}

export function presentRevision(row: RevisionRow): Revision {
  return { ...toAnswer(row), digest: row.digest.toString('hex') }
}
