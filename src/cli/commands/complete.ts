import { listApps } from '#contract/apps/apps.ts'
import { listAgents } from '#contract/auth/agents.ts'
import { listTokens } from '#contract/auth/tokens.ts'
import type { Client } from '#contract/core/client.ts'
import { listSlimSources, listSources } from '#contract/data-sources/sources.ts'
import { listDatabases } from '#contract/databases.ts'
import { collect, openClient } from '../call/client.ts'
import type { Completed } from '../command/command.ts'
import { readContexts } from '../login/contexts.ts'
import type { Cli } from '../terminal/cli.ts'

const TIMEOUT_SECONDS = 2

const READERS: Record<Exclude<Completed, 'contexts'>, (client: Client) => Promise<string[]>> = {
  agents: async (client) => (await collect(client, listAgents, {})).items.map(({ id }) => id),
  apps: async (client) => (await collect(client, listApps, {})).items.map(({ alias }) => alias),
  databases: async (client) => (await collect(client, listDatabases, {})).items.map(({ name }) => name),
  sources: readSources,
  tokens: async (client) => (await collect(client, listTokens, {})).items.map(({ id }) => id),
}

/** Prints the names. A failure prints nothing, because an error would appear in the middle of the typed line. */
export async function run([kind]: [Completed], _: object, cli: Cli): Promise<void> {
  const names = await read(kind, cli).catch(() => [])
  // Names with other characters cannot be offered without quotes, and none that a command takes has any.
  const safe = names.filter((name) => /^[\w.:@[\]-]+$/.test(name))
  if (safe.length > 0) cli.print(safe)
}

async function read(kind: Completed, cli: Cli): Promise<string[]> {
  if (kind === 'contexts') return Object.keys((await readContexts(cli.config.contextsFile)).contexts)
  return await READERS[kind](
    await openClient({ timeout: TIMEOUT_SECONDS }, { ...cli, note: () => {}, isForProgram: true }),
  )
}

/** Developers see every source, also those to expose. Others see those that they may ask. */
async function readSources(client: Client): Promise<string[]> {
  return await collect(client, listSources, {}).then(
    ({ items }) => items.map(({ source_id }) => source_id),
    async () => (await client.call(listSlimSources, {})).items.map(({ id }) => id),
  )
}
