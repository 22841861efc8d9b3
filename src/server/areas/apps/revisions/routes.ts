import {
  createRevision,
  diffRevisions as diffOperation,
  downloadRevision,
  fetchRevision,
  findMissingFiles,
  listRevisions,
  type RevisionFile,
  readRevision,
  readRevisionFile,
} from '#contract/apps/revisions.ts'
import { notFound } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireApp } from '../model/store.ts'
import { touchBlobs } from './blob-store.ts'
import type { RevisionDeps } from './deps.ts'
import { diffRevisions } from './diff.ts'
import { invalidRevision } from './faults.ts'
import { findManifestFaults } from './manifest.ts'
import { readFiles } from './read-files.ts'
import { saveRevision } from './save.ts'
import { findRevisionBefore, pageRevisions, presentRevision, readFile, readManifest, requireRevision } from './store.ts'
import { writeTar } from './tar/write-tar.ts'
import { uploadFilesRoute, uploadRevisionRoute } from './upload.ts'

export function revisionRoutes(deps: RevisionDeps): Route[] {
  return [...createRoutes(deps), uploadFilesRoute(deps), uploadRevisionRoute(deps), ...readRoutes(deps)]
}

function createRoutes(deps: RevisionDeps): Route[] {
  const { db, clock } = deps
  return [
    route(findMissingFiles, async ({ alias, files }, { principal }) => {
      await requireApp(db, principal.org_id, alias)
      refuseFaults(files)
      const sha256s = [...new Set(files.map(({ sha256 }) => sha256))]
      const stored = await db.tx((tx) => touchBlobs(tx, principal.org_id, sha256s, clock.now()))
      return { missing: sha256s.filter((sha256) => !stored.has(sha256)) }
    }),
    route(createRevision, async ({ alias, files, message }, { principal }) => {
      refuseFaults(files)
      const by = { createdBy: principal.user_id, actor: actorOf(principal) }
      return presentRevision(await saveRevision(deps, { orgId: principal.org_id, alias, files, message, ...by }))
    }),
  ]
}

function refuseFaults(files: readonly RevisionFile[]): void {
  const faults = findManifestFaults(files, (index, key) => `files.${index}.${key}`)
  if (faults.length > 0) throw invalidRevision(faults)
}

function readRoutes({ db }: RevisionDeps): Route[] {
  return [
    route(listRevisions, async ({ alias, limit, cursor }, { principal }) => {
      const { id: appId } = await requireApp(db, principal.org_id, alias)
      return toPage(await pageRevisions(db, appId, { before: readCursor(cursor), limit }), limit, presentRevision)
    }),
    route(readRevision, async ({ alias, revision_id }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      const row = await requireRevision(db, app.id, revision_id)
      return { ...presentRevision(row), files: (await readManifest(db, { appId: app.id }, row.id)) ?? [] }
    }),
    route(readRevisionFile, async ({ alias, revision_id, path }, { principal }) => {
      const { id: appId } = await requireApp(db, principal.org_id, alias)
      await requireRevision(db, appId, revision_id)
      const content = await readFile(db, appId, revision_id, path)
      if (!content) throw notFound('file')
      return new Response(new Uint8Array(content), { headers: downloadHeaders(path) })
    }),
    route(fetchRevision, async ({ revision_id }, { principal: { org_id, deployment } }) => {
      const row = deployment === undefined ? undefined : await requireRevision(db, deployment, revision_id)
      // The annotations of the service account name app and organization, and both must be those of the revision.
      if (!row || row.org_id !== org_id) throw notFound('revision')
      return archiveOf(db, row)
    }),
    route(downloadRevision, async ({ alias, revision_id }, { principal }) => {
      const { id: appId } = await requireApp(db, principal.org_id, alias)
      return archiveOf(db, await requireRevision(db, appId, revision_id))
    }),
    route(diffOperation, async ({ alias, revision_id, base }, { principal }) => {
      const { org_id } = principal
      const { id: appId } = await requireApp(db, org_id, alias)
      const revision = await requireRevision(db, appId, revision_id)
      const before = await (base === undefined
        ? findRevisionBefore(db, appId, revision.id)
        : requireRevision(db, appId, base))
      const diff = await diffRevisions(db, { orgId: org_id, baseId: before?.id, revisionId: revision.id })
      return { base: before?.id ?? null, revision: revision.id, ...diff }
    }),
  ]
}

function archiveOf(db: RevisionDeps['db'], { org_id, id }: { org_id: string; id: string }): Response {
  const archive = streamOf(writeTar(readFiles(db, org_id, id)))
  return new Response(archive, { headers: { 'content-type': 'application/x-tar', 'cache-control': 'no-store' } })
}

function streamOf(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await bytes.next()
    if (done) controller.close()
    else controller.enqueue(value)
  }
  return new ReadableStream({ pull, cancel: async () => void (await bytes.return(undefined)) }, { highWaterMark: 0 })
}

/** The content is whatever somebody uploaded, so a browser must save it and never show it as a page of ours. */
function downloadHeaders(path: string): Record<string, string> {
  const name = encodeURIComponent(path.split('/').at(-1)!).replace(/['()*]/g, escapeCharacter)
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
}

/** Escapes a character that `encodeURIComponent` leaves and RFC 8187 does not allow. */
function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
