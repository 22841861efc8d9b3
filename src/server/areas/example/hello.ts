import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pack } from 'tar-stream'
import { createApp, readApp } from '#contract/apps/apps.ts'
import { followDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import { createCheck } from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { fileTicket, listTickets } from '#contract/tickets.ts'
import type { ExampleDeps } from './deps.ts'
import { ignoreConflict } from './ignore-conflict.ts'
import { giveWorkerToken } from './worker-token.ts'

const ALIAS = 'hello'
const TICKET = {
  title: 'The total of the orders is missing',
  body: 'The log of hello shows an error once a minute instead of what all orders cost together. Can you have a look?',
}

/**
 * Deploys the app in `folder` as any user would, with a check and a ticket. It can be repeated: what exists already is
 * left as it is. The app has a fault on purpose, which shows in its log every minute. It serves a function and a
 * pipeline with a token of its own.
 */
export async function makeHello(deps: ExampleDeps, folder: string): Promise<void> {
  const owner = deps.clientOf(deps.account.api_key)
  const settings = { start_command: 'node server.js', health_path: '/healthz' }
  await owner.call(createApp, { alias: ALIAS, name: 'Hello', settings }).catch(ignoreConflict)
  // Before the deploy, because an app gets its variables when it is started.
  await giveWorkerToken(deps, ALIAS)
  await deployOnce(owner, folder)
  await fileTicketOnce(owner)
  await untilDeployed(owner)
  // After the deploy, because a check runs at once and would fail without an app.
  const definition = { kind: 'http', target: '/', contains: 'from svc' } as const
  await owner.call(createCheck, { alias: ALIAS, name: 'Front page', definition }).catch(ignoreConflict)
}

async function deployOnce(owner: Client, folder: string): Promise<void> {
  if ((await owner.call(readApp, { alias: ALIAS })).latest_deploy !== null) return
  const input = { alias: ALIAS, message: 'The example app' }
  const revision = await owner.upload(uploadRevision, input, archiveOf(folder))
  await owner.call(startDeploy, { alias: ALIAS, revision_id: revision.id })
}

async function fileTicketOnce(owner: Client): Promise<void> {
  const { items } = await owner.call(listTickets, { alias: ALIAS, mine: true })
  if (items.length === 0) await owner.call(fileTicket, { alias: ALIAS, ...TICKET })
}

/** Waits until the newest deploy is live or has failed. */
async function untilDeployed(owner: Client): Promise<void> {
  const { latest_deploy } = await owner.call(readApp, { alias: ALIAS })
  if (latest_deploy === null) return
  for await (const _ of owner.stream(followDeploy, { alias: ALIAS, deploy_id: latest_deploy.id })) {
    // The stream ends with the deploy; its events are for people who watch.
  }
}

function archiveOf(folder: string): AsyncIterable<Uint8Array> {
  const archive = pack()
  for (const name of readdirSync(folder)) archive.entry({ name }, readFileSync(join(folder, name)))
  archive.finalize()
  return archive
}
