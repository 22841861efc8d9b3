import { createApp } from '#contract/apps/apps.ts'
import { createCheck } from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { fileTicket, listTickets } from '#contract/tickets.ts'
import { deployApp } from './deploy-app.ts'
import type { ExampleDeps } from './deps.ts'
import { ignoreConflict } from './ignore-conflict.ts'

const ALIAS = 'hello'
/**
 * The settings that svc gives the example app. An app with any other settings is an ordinary one. SERVER_API_TOKEN is
 * what 0.6 and earlier gave it.
 */
export const EXAMPLE_APP = { startCommand: 'node server.js', variables: ['SVC_APP', 'SERVER_API_TOKEN'] } as const
const TICKET = {
  title: 'The total of the orders is missing',
  body: 'The log of hello shows an error once a minute instead of what all orders cost together. Can you have a look?',
}

/**
 * Deploys the app in `folder` as any user would, with a check and a ticket. It can be repeated: what exists already is
 * left as it is. The app has a fault on purpose, which shows in its log every minute. It serves a function and a
 * pipeline as itself.
 */
export async function makeHello(deps: ExampleDeps, folder: string): Promise<void> {
  const owner = deps.clientOf(deps.account.api_key)
  const settings = { start_command: EXAMPLE_APP.startCommand, health_path: '/healthz' }
  await owner.call(createApp, { alias: ALIAS, name: 'Hello', settings }).catch(ignoreConflict)
  await fileTicketOnce(owner)
  await deployApp(owner, ALIAS, folder)
  // After the deploy, because a check runs at once and would fail without an app.
  const definition = { kind: 'http', target: '/', contains: 'from svc' } as const
  await owner.call(createCheck, { alias: ALIAS, name: 'Front page', definition }).catch(ignoreConflict)
}

async function fileTicketOnce(owner: Client): Promise<void> {
  const { items } = await owner.call(listTickets, { alias: ALIAS, mine: true })
  if (items.length === 0) await owner.call(fileTicket, { alias: ALIAS, ...TICKET })
}
