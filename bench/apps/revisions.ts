import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { systemClock } from '#lib/time/clock.ts'
import { touchBlobs } from '../../src/server/areas/apps/revisions/blob-store.ts'
import { readFiles } from '../../src/server/areas/apps/revisions/read-files.ts'
import { saveRevision } from '../../src/server/areas/apps/revisions/save.ts'
import { readFile } from '../../src/server/areas/apps/revisions/store.ts'
import { createBlobWriter } from '../../src/server/areas/apps/revisions/write-blobs.ts'
import { gitMissing, makeRepository } from './git.ts'
import { median } from './median.ts'
import { changedFiles, makeTree, type TreeFile } from './tree.ts'

const ORG = 'org_bench'
const APP = { id: 'app_bench', alias: 'bench' }

type Times = { first: number; next: number[]; file: number[]; tree: number[] }

/**
 * Measures the revision store on durable Postgres, and the installed git on the same tree. Operations alternate, so that
 * a busy machine slows both.
 */
export async function benchRevisions(db: Db, revisions: number): Promise<void> {
  await addApp(db)
  using git = gitMissing() ? undefined : makeRepository()
  const ours: Times = { first: 0, next: [], file: [], tree: [] }
  const gits: Times = { first: 0, next: [], file: [], tree: [] }
  for (let revision = 0; revision <= revisions; revision++) {
    const tree = makeTree(revision)
    const changed = changedFiles(revision)
    const revisionId = await timed(ours, revision, () => createRevision(db, tree, changed))
    git?.place(changed)
    const commit = git && (await timed(gits, revision, async () => git.commit()))
    if (revision === 0) continue
    const { path, content } = tree[(revision * 37) % tree.length]!
    await measure(ours.file, async () => equal((await readFile(db, APP.id, revisionId, path))!, content))
    await measure(ours.tree, async () => equal(await treeBytes(db, revisionId), bytesOf(tree)))
    if (!git || commit === undefined) continue
    await measure(gits.file, async () => equal(git.read(commit, path), content))
    await measure(gits.tree, async () => void git.readTree(commit))
  }
  print(ours, git && gits, revisions)
}

async function addApp(db: Db): Promise<void> {
  await db.query(sql`
    insert into apps.apps (id, org_id, alias, name, host_label, health_path, state, created_by, created_at)
    values (${APP.id}, ${ORG}, ${APP.alias}, 'bench', 'bench', '/', 'active', 'usr_bench', now())`)
}

/** Does what a client causes: asks for missing files, uploads those that changed, creates the revision. */
async function createRevision(db: Db, tree: readonly TreeFile[], changed: readonly TreeFile[]): Promise<string> {
  const deps = { db, clock: systemClock, maxStoreBytes: 1e12 }
  const files = tree.map(({ path, content, sha256 }) => ({ path, executable: false, size: content.length, sha256 }))
  const sha256s = files.map(({ sha256 }) => sha256)
  const stored = await db.tx((tx) => touchBlobs(tx, ORG, sha256s, systemClock.now()))
  const writer = createBlobWriter(deps, ORG)
  for (const file of changed) if (!stored.has(file.sha256)) await writer.add(file)
  await writer.flush()
  const by = { createdBy: null, actor: 'bench', message: null }
  return (await saveRevision(deps, { orgId: ORG, alias: APP.alias, files, ...by })).id
}

async function treeBytes(db: Db, revision: string): Promise<number> {
  let bytes = 0
  for await (const { content } of readFiles(db, ORG, revision)) bytes += content.byteLength
  return bytes
}

function bytesOf(tree: readonly TreeFile[]): number {
  return tree.reduce((sum, { content }) => sum + content.length, 0)
}

/** Throws for a wrong answer, which would look fast. */
function equal(actual: Buffer | number, expected: Buffer | number): void {
  const isSame = typeof actual === 'number' ? actual === expected : actual.equals(expected as Buffer)
  if (!isSame) throw new Error('a revision was not read as it was written')
}

async function timed<T>(times: Times, revision: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await work()
  const ms = performance.now() - started
  if (revision === 0) times.first = ms
  else times.next.push(ms)
  return result
}

async function measure(times: number[], work: () => Promise<void>): Promise<void> {
  const started = performance.now()
  await work()
  times.push(performance.now() - started)
}

function print(ours: Times, gits: Times | undefined, revisions: number): void {
  console.log(`200 files, 815 KB, ${revisions + 1} revisions, three files changed in each; medians`)
  console.log('            first    next revision    read file    read tree')
  line('svc', ours)
  if (gits) line('git', gits)
  else console.log('git is left out: it is not installed')
}

function line(name: string, { first, next, file, tree }: Times): void {
  const ms = (value: number, width: number) => `${value.toFixed(1).padStart(width)} ms`
  console.log(`${name.padEnd(8)}${ms(first, 7)}${ms(median(next), 13)}${ms(median(file), 10)}${ms(median(tree), 10)}`)
}
