import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pack } from 'tar-stream'
import { readApp } from '#contract/apps/apps.ts'
import { followDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { listRevisions, uploadRevision } from '#contract/apps/revisions.ts'
import type { Client } from '#contract/core/client.ts'

/**
 * Deploys the source in `folder` and waits until it is live. An app that is live already is left as it is, and a deploy
 * that is under way goes on. One that failed, as it does when svc is killed during it, is done again. Throws if the app
 * is not live then.
 */
export async function deployApp(owner: Client, alias: string, folder: string): Promise<void> {
  if (await isLive(owner, alias)) return
  const revision_id = await uploadOnce(owner, alias, folder)
  await owner.call(startDeploy, { alias, revision_id })
  if (!(await isLive(owner, alias))) throw new Error(`The deploy of ${alias} failed. See the log of the app.`)
}

/** Waits until the newest deploy has ended or is live. */
async function isLive(owner: Client, alias: string): Promise<boolean> {
  const { latest_deploy } = await owner.call(readApp, { alias })
  if (latest_deploy === null) return false
  for await (const _ of owner.stream(followDeploy, { alias, deploy_id: latest_deploy.id })) {
    // The stream ends with the deploy; its events are for people who watch.
  }
  return (await owner.call(readApp, { alias })).live_deploy !== null
}

async function uploadOnce(owner: Client, alias: string, folder: string): Promise<string> {
  const { items } = await owner.call(listRevisions, { alias })
  if (items[0]) return items[0].id
  return (await owner.upload(uploadRevision, { alias, message: 'The example app' }, archiveOf(folder))).id
}

function archiveOf(folder: string): AsyncIterable<Uint8Array> {
  const archive = pack()
  for (const name of readdirSync(folder)) archive.entry({ name }, readFileSync(join(folder, name)))
  archive.finalize()
  return archive
}
