import { hash } from 'node:crypto'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { AppSource } from '#ports/apps.ts'

type Fault = { readonly appId: string; readonly revisionId: string; readonly fingerprint: string }
type Source = Pick<AppSource, 'files'>
type Denied = { path: string | null; denied_sha256: string | null }

/** Whether a change for this fault was denied, and the file that the fault is in is still the same. */
export async function isDenied(tx: Tx, source: Source, fault: Fault): Promise<boolean> {
  const finding = await findFinding(tx, fault)
  if (!finding?.denied_sha256) return false
  return finding.denied_sha256 === (await digestOf(tx, source, fault, finding.path))
}

/** Remembers that a change for this fault was denied, so that it is not proposed again while the file is the same. */
export async function recordDenial(tx: Tx, source: Source, fault: Fault & { readonly at: Date }): Promise<void> {
  const finding = await findFinding(tx, fault)
  if (!finding) return
  await tx.query(sql`
    update maintenance.findings
    set denied_at = ${fault.at}, denied_sha256 = ${await digestOf(tx, source, fault, finding.path)}
    where app_id = ${fault.appId} and fingerprint = ${fault.fingerprint}`)
}

async function findFinding(tx: Tx, { appId, fingerprint }: Fault): Promise<Denied | undefined> {
  const [row] = await tx.query<Denied>(sql`
    select path, denied_sha256 from maintenance.findings
    where app_id = ${appId} and fingerprint = ${fingerprint}`)
  return row
}

/** The digest of the file, or of the whole source where the fault is in no file of it. */
async function digestOf(tx: Tx, source: Source, revision: Fault, path: string | null): Promise<string> {
  const files = (await source.files(revision.appId, revision.revisionId, tx)) ?? []
  const file = files.find((one) => one.path === path)
  return file?.sha256 ?? hash('sha256', JSON.stringify(files.map((one) => [one.path, one.sha256])))
}
