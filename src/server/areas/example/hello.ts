import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pack } from 'tar-stream'
import { createApp, readApp } from '#contract/apps/apps.ts'
import { startDeploy } from '#contract/apps/deploys.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'

const ALIAS = 'hello'

/**
 * Deploys the app in `folder` as any user would. It can be repeated: what exists already is left as it is. The app has a
 * fault on purpose, which shows in its log every minute.
 */
export async function makeHello(client: Client, folder: string): Promise<void> {
  const settings = { start_command: 'node server.js', health_path: '/healthz' }
  await client.call(createApp, { alias: ALIAS, name: 'Hello', settings }).catch(ignoreConflict)
  if ((await client.call(readApp, { alias: ALIAS })).latest_deploy !== null) return
  const input = { alias: ALIAS, message: 'The example app' }
  const revision = await client.upload(uploadRevision, input, archiveOf(folder))
  await client.call(startDeploy, { alias: ALIAS, revision_id: revision.id })
}

function archiveOf(folder: string): AsyncIterable<Uint8Array> {
  const archive = pack()
  for (const name of readdirSync(folder)) archive.entry({ name }, readFileSync(join(folder, name)))
  archive.finalize()
  return archive
}

/** Ignores that the app exists already, from a start that was killed. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error
}
