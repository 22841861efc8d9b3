import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createToken } from '#contract/auth/tokens.ts'
import { createClient } from '#contract/core/client.ts'
import { startProcess, untilExample } from '#test/programs/processes.ts'
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'
import { AGENTS } from './agents.ts'
import { DOCUMENT_HOSTS, serveDocuments } from './documents.ts'
import { ANSWER } from './model/reply.ts'
import { startScriptedModel } from './model/scripted-model.ts'
import { openNetwork } from './network.ts'
import { createPerson, type Person } from './person.ts'
import { lastOf, makePlace } from './place.ts'
import type { AgentName } from './versions.ts'

export type Way = 'oauth' | 'bearer'
export type Outcome = {
  agent: AgentName
  way: Way
  connected: boolean
  answered: boolean
  seconds: number
  reason: string
}

const SECONDS_PER_WAY = 240

/**
 * Runs the agents one after the other, in a network of its own. Arguments: a folder for everything, and the names of
 * the agents with the folders of their programs as JSON. Writes the outcomes to `outcomes.json` in the folder.
 */
const [folder = '', installed = '{}'] = process.argv.slice(2)
const outcomes: Outcome[] = []
{
  await using _network = await openNetwork(folder, DOCUMENT_HOSTS)
  await using documents = await serveDocuments(folder)
  await using model = await startScriptedModel()
  const dataDir = join(folder, 'data')
  const env = { PORT: '8080', HOME: folder, SVC_DATA_DIR: dataDir, NODE_EXTRA_CA_CERTS: documents.authority }
  await using server = await startProcess(env)
  await untilExample(server)
  const person = createPerson(server.url, join(dataDir, 'sign-in-code'))
  const token = await makeToken(server.url, dataDir)
  for (const [agent, bin] of Object.entries(JSON.parse(installed) as Record<AgentName, string>)) {
    for (const way of ['oauth', 'bearer'] as const) {
      const trial = { agent: agent as AgentName, way, bin, person, token, url: server.url, modelUrl: model.url }
      outcomes.push(await tryAgent(trial))
      writeFileSync(join(folder, 'outcomes.json'), JSON.stringify(outcomes))
    }
  }
  writeFileSync(join(folder, 'model.log'), model.log.join('\n'))
}

async function makeToken(url: string, dataDir: string): Promise<string> {
  const { api_key } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun
  const client = createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${api_key}` }) })
  return (await client.call(createToken, { name: 'my agent' })).token
}

type Trial = {
  agent: AgentName
  way: Way
  bin: string
  person: Person
  token: string
  url: string
  modelUrl: string
}

async function tryAgent({ agent, way, bin, person, token, url, modelUrl }: Trial): Promise<Outcome> {
  const began = Date.now()
  const outcome = { agent, way, connected: false, answered: false, reason: '' }
  const { model, status, ask, ...ways } = AGENTS[agent]
  const { env = {}, files = [] } = model(modelUrl)
  const place = makePlace({
    folder: mkdtempSync(join(folder, `home-${way}-`)),
    path: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    env: { ...env, ...(way === 'bearer' && { SVC_TOKEN: token }) },
    person,
    deadline: began + SECONDS_PER_WAY * 1000,
  })
  try {
    for (const step of [...files, ...ways[way](`${url}/mcp/platform`)]) {
      const { code, output } = await place.take(step)
      if ('run' in step && code !== (step.exit ?? 0))
        throw new Error(`"${step.run}" ended with ${code}: ${lastOf(output)}`)
    }
    const shown = await place.take(status)
    outcome.connected = status.pattern.test(shown.output)
    if (!outcome.connected) throw new Error(`"${status.run}" printed ${lastOf(shown.output)}`)
    const { output } = await place.take({ run: ask })
    outcome.answered = output.includes(ANSWER)
    if (!outcome.answered) throw new Error(`the answer was ${lastOf(output)}`)
  } catch (error) {
    outcome.reason = error instanceof Error ? error.message : String(error)
  }
  return { ...outcome, seconds: (Date.now() - began) / 1000 }
}
