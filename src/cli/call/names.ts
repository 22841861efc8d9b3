import { listApps } from '#contract/apps/apps.ts'
import { listAgents } from '#contract/auth/agents.ts'
import { listTokens } from '#contract/auth/tokens.ts'
import { listChecks } from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { listSlimSources, listSources } from '#contract/data-sources/sources.ts'
import { listDatabases } from '#contract/databases.ts'
import { listFunctions } from '#contract/functions.ts'
import { listPipelines } from '#contract/pipelines.ts'
import type { Completed, NamedInApp } from '../command/command.ts'
import { collect } from './client.ts'

/** Reads the names of things in the instance that the caller can list. */
export const READERS: Record<Exclude<Completed, 'contexts'>, (client: Client) => Promise<string[]>> = {
  agents: async (client) => (await collect(client, listAgents, {})).items.map(({ id }) => id),
  apps: async (client) => (await collect(client, listApps, {})).items.map(({ alias }) => alias),
  databases: async (client) => (await collect(client, listDatabases, {})).items.map(({ name }) => name),
  sources: readSources,
  tokens: async (client) => (await collect(client, listTokens, {})).items.map(({ id }) => id),
}

/** Reads the names of things within an app that the caller can list. */
export const READERS_IN_APP: Record<NamedInApp, (client: Client, alias: string) => Promise<string[]>> = {
  checks: async (client, alias) => (await collect(client, listChecks, { alias })).items.map(({ name }) => name),
  functions: async (client, alias) => (await collect(client, listFunctions, { alias })).items.map(({ name }) => name),
  pipelines: async (client, alias) => (await collect(client, listPipelines, { alias })).items.map(({ name }) => name),
}

/** Developers see every source, also those to expose. Others see those that they may ask. */
async function readSources(client: Client): Promise<string[]> {
  return await collect(client, listSources, {}).then(
    ({ items }) => items.map(({ source_id }) => source_id),
    async () => (await client.call(listSlimSources, {})).items.map(({ id }) => id),
  )
}
