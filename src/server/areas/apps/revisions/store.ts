import type { Revision, RevisionFile } from '#contract/apps/revisions.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type RevisionRow = {
  id: string
  app_id: string
  org_id: string
  digest: Buffer
  file_count: number
  total_bytes: number
  message: string | null
  created_by: string | null
  created_at: Date
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

export async function findRevision(db: Querier, appId: string, id: string): Promise<RevisionRow | undefined> {
  const [row] = await db.query<RevisionRow>(sql`
    select ${COLUMNS} from apps.revisions where app_id = ${appId} and id = ${id}`)
  return row
}

/** Returns the revision of the app that was created before this one, or undefined for the first. */
export async function findRevisionBefore(db: Querier, appId: string, id: string): Promise<RevisionRow | undefined> {
  const [row] = await db.query<RevisionRow>(sql`
    select ${COLUMNS} from apps.revisions where app_id = ${appId} and id < ${id} order by id desc limit 1`)
  return row
}

export async function pageRevisions(
  db: Querier,
  appId: string,
  before: string | null,
  limit: number,
): Promise<RevisionRow[]> {
  return db.query<RevisionRow>(sql`
    select ${COLUMNS} from apps.revisions
    where app_id = ${appId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

/** Returns the files of a revision, sorted by path. Undefined if the organization has no such revision. */
export async function readManifest(db: Querier, orgId: string, id: string): Promise<RevisionFile[] | undefined> {
  const [row] = await db.query<{ manifest: RevisionFile[] }>(sql`
    select manifest from apps.revisions where org_id = ${orgId} and id = ${id}`)
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
  const { id, file_count, total_bytes, message, created_by } = row
  const digest = row.digest.toString('hex')
  return { id, digest, file_count, total_bytes, message, created_by, created_at: row.created_at.toISOString() }
}
