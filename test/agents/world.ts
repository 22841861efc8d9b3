import { mkdtempSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createToken } from '#contract/auth/tokens.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'
import { AGENTS } from './agents.ts'
import type { Computer } from './computers/computer.ts'
import { REMOTE_ENV, remoteComputer } from './computers/remote-computer.ts'
import { sdkComputer } from './computers/sdk-computer.ts'
import { terminalComputer } from './computers/terminal-computer.ts'
import { DOCUMENT_HOSTS, serveDocuments } from './documents.ts'
import { type ScriptedModel, startScriptedModel } from './model/scripted-model.ts'
import { openNetwork } from './network.ts'
import { createPerson, type Person } from './person.ts'
import { makePlace } from './place.ts'
import { type Restartable, startRestartable } from './server/restartable.ts'
import type { AgentName } from './versions.ts'

/** The official client is part of this repository and needs no installation. */
export const SDK = 'SDK client'
export type AnyAgent = AgentName | typeof SDK
export type Installed = Partial<Record<AgentName, string>>

const SECONDS_PER_COMMAND = 120

/** A network of its own with a server that can be restarted, a person and a scripted model. */
export type World = {
  readonly server: Restartable
  readonly person: Person
  /** Client of the person's own API token. */
  readonly owner: Client
  /** A new computer with this agent, not connected yet. */
  computer(agent: AnyAgent): Computer
}

type Options = { folder: string; installed: Installed; tokenSeconds: number }

export async function openWorld(stack: AsyncDisposableStack, options: Options): Promise<World> {
  const { folder, installed, tokenSeconds } = options
  stack.use(await openNetwork(folder, DOCUMENT_HOSTS))
  const { authority } = stack.use(await serveDocuments(folder))
  const model = stack.use(await startScriptedModel())
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const server = stack.use(await startRestartable({ folder, dataDir, authority, tokenSeconds }))
  const person = createPerson(server.url, join(dataDir, 'sign-in-code'))
  const url = `${server.url}/mcp/platform`
  return {
    server,
    person,
    owner: await ownerOf(server.url, dataDir),
    computer: (agent) => {
      if (agent === SDK) return sdkComputer({ person, url })
      const bin = installed[agent]
      if (bin === undefined) throw new Error(`${agent} is not installed`)
      const place = placeOf({ agent, bin, folder, person, model })
      return agent === 'mcp-remote' ? remoteComputer({ place, url }) : terminalComputer({ agent, place, model, url })
    },
  }
}

type PlaceOptions = { agent: AgentName; bin: string; folder: string; person: Person; model: ScriptedModel }

function placeOf({ agent, bin, folder, person, model }: PlaceOptions) {
  const { env = {} } = agent === 'mcp-remote' ? { env: REMOTE_ENV } : AGENTS[agent].model(model.url)
  const path = `${bin}:${dirname(process.execPath)}:${process.env.PATH}`
  return makePlace({ folder: mkdtempSync(join(folder, 'home-')), path, env, person, seconds: SECONDS_PER_COMMAND })
}

async function ownerOf(url: string, dataDir: string): Promise<Client> {
  const { api_key } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun
  const clientOf = (token: string) =>
    createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
  return clientOf((await clientOf(api_key).call(createToken, { name: 'faults' })).token)
}
