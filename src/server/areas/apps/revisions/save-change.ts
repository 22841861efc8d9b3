import { hash } from 'node:crypto'
import type { RevisionFile } from '#contract/apps/revisions.ts'
import { notFound } from '#contract/core/errors.ts'
import type { SaveAppChange } from '#ports/app-changes.ts'
import { findName, lockActiveApp } from '../model/store.ts'
import { insertBlobs } from './blob-store.ts'
import type { RevisionDeps } from './deps.ts'
import { invalidRevision } from './faults.ts'
import { findManifestFaults } from './manifest.ts'
import { addRevision } from './save.ts'
import { readManifest } from './store.ts'

/**
 * Stores changes of the maintenance agent. All is written in one transaction, so that nothing of a change is left once
 * the agent was switched off.
 */
export function createSaveChange(deps: RevisionDeps): SaveAppChange {
  return async ({ orgId, appId, revisionId, texts, message, actor, hold }) => {
    const app = await findName(deps.db, orgId, appId)
    const base = await readManifest(deps.db, { orgId }, revisionId)
    if (!app || !base) throw notFound(app ? 'revision' : 'app')
    const contents = new Map([...texts].map(([path, text]) => [path, Buffer.from(text)]))
    const paths = new Set(base.map(({ path }) => path))
    const added = [...contents.keys()].filter((path) => !paths.has(path)).map(toNewFile)
    const files = [...base, ...added].map((file) => changed(file, contents.get(file.path)))
    const faults = findManifestFaults(files, (index) => files[index]!.path)
    if (faults.length > 0) throw invalidRevision(faults)
    const blobs = [...contents.values()].map((content) => ({ sha256: hash('sha256', content), content }))
    return deps.db.tx(async (tx) => {
      await lockActiveApp(tx, orgId, app.alias)
      if (!(await hold(tx))) return undefined
      await insertBlobs(tx, orgId, distinct(blobs), deps.clock.now())
      const revision = { orgId, appId, alias: app.alias, files, message, createdBy: null, actor }
      return (await addRevision(tx, deps, revision)).id
    })
  }
}

function toNewFile(path: string): RevisionFile {
  return { path, size: 0, sha256: '', executable: false }
}

function changed(file: RevisionFile, content: Buffer | undefined): RevisionFile {
  return content ? { ...file, size: content.byteLength, sha256: hash('sha256', content) } : file
}

function distinct<Blob extends { sha256: string }>(blobs: readonly Blob[]): Blob[] {
  return [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()]
}
