import { type RevisionFile, uploadFiles, uploadRevision } from '#contract/apps/revisions.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireApp } from '../model/store.ts'
import type { RevisionDeps } from './deps.ts'
import { invalidRevision } from './faults.ts'
import { findManifestFaults } from './manifest.ts'
import { findPathFault } from './path.ts'
import { readArchive } from './read-archive.ts'
import { saveRevision } from './save.ts'
import { presentRevision } from './store.ts'
import type { TarEntry } from './tar/read-tar.ts'
import { createBlobWriter } from './write-blobs.ts'

export function uploadFilesRoute(deps: RevisionDeps): Route {
  return route(uploadFiles, async ({ alias }, { principal }, bytes) => {
    await requireApp(deps.db, principal.org_id, alias)
    const writer = createBlobWriter(deps, principal.org_id)
    for await (const { path, sha256, content } of readArchive({ bytes, isGzip: false }, findDigestFault)) {
      if (path !== sha256)
        throw invalidRevision([{ path, message: `must be named ${sha256}, the SHA-256 of its content` }])
      await writer.add({ sha256, content })
    }
    return { stored: await writer.flush() }
  })
}

function findDigestFault({ path, kind }: TarEntry): string | undefined {
  return kind === 'file' && /^[0-9a-f]{64}$/.test(path) ? undefined : 'must be a file named by its SHA-256'
}

export function uploadRevisionRoute(deps: RevisionDeps): Route {
  return route(uploadRevision, async ({ alias, message }, { principal, request }, bytes) => {
    await requireApp(deps.db, principal.org_id, alias)
    const isGzip = request.headers.get('content-type')?.trim().toLowerCase().startsWith('application/gzip') ?? false
    const writer = createBlobWriter(deps, principal.org_id)
    const files: RevisionFile[] = []
    for await (const { content, ...file } of readArchive({ bytes, isGzip }, ({ path }) => findPathFault(path))) {
      files.push(file)
      await writer.add({ sha256: file.sha256, content })
    }
    await writer.flush()
    const faults = findManifestFaults(files, (index) => files[index]!.path)
    if (faults.length > 0) throw invalidRevision(faults)
    const by = { createdBy: principal.user_id, actor: actorOf(principal) }
    return presentRevision(await saveRevision(deps, { orgId: principal.org_id, alias, files, message, ...by }))
  })
}
