import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createToken } from '#contract/auth/tokens.ts'
import { createClient } from '#contract/core/client.ts'
import { startProcess, untilExample } from '#test/programs/processes.ts'
import type { FirstRun } from '../../src/server/process/first-start/first-run.ts'
import { AGENTS, type CommandAgent } from './agents.ts'
import { REMOTE_ENV, remoteComputer } from './computers/remote-computer.ts'
import { DOCUMENT_HOSTS, serveDocuments } from './documents.ts'
import { ANSWER } from './model/reply.ts'
import { startScriptedModel } from './model/scripted-model.ts'
import { openNetwork } from './network.ts'
import { createPerson, type Person } from './person.ts'
import { lastOf, makePlace, type Place } from './place.ts'
import { type AgentName, VERSIONS } from './versions.ts'
import type { Installed } from './world.ts'

type Way = 'oauth' | 'bearer'
type Outcome = {
  agent: AgentName
  version: string
  way: Way
  connected: boolean
  answered: boolean
  seconds: number
  reason: string
}

const SECONDS_PER_COMMAND = 120

/**
 * Runs the agents one after the other, in a network of its own, and prints a table. Arguments: a folder for everything,
 * and the names of the agents with the folders of their programs as JSON.
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
  for (const [agent, bin] of Object.entries(JSON.parse(installed) as Installed)) {
    for (const way of ['oauth', 'bearer'] as const) {
      const trial = { way, bin, person, token, url: `${server.url}/mcp/platform`, modelUrl: model.url }
      outcomes.push(await timed({ ...trial, agent: agent as AgentName }))
    }
  }
  writeFileSync(join(folder, 'model.log'), model.log.join('\n'))
}
console.table(outcomes)
if (outcomes.length === 0 || outcomes.some(({ answered }) => !answered)) process.exitCode = 1

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

async function timed(trial: Trial): Promise<Outcome> {
  const { agent, way } = trial
  const began = Date.now()
  const result = { connected: false, answered: false }
  const reason = await tryAgent(trial, result).then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const seconds = Math.round((Date.now() - began) / 1000)
  return { agent, version: VERSIONS[agent].version, way, ...result, seconds, reason }
}

type Result = { connected: boolean; answered: boolean }

async function tryAgent(trial: Trial, result: Result): Promise<void> {
  const { agent } = trial
  const answer = agent === 'mcp-remote' ? await askThroughRemote(trial, result) : await follow(agent, trial, result)
  result.answered = answer.includes(ANSWER)
  if (!result.answered) throw new Error(`the answer was ${lastOf(answer)}`)
}

/** Follows the steps of the guide, and returns the answer. */
async function follow(agent: CommandAgent, trial: Trial, result: Result): Promise<string> {
  const { model, status, ask, ...ways } = AGENTS[agent]
  const { env = {}, files = [] } = model(trial.modelUrl)
  const place = placeOf(trial, env)
  for (const step of [...files, ...ways[trial.way](trial.url)]) {
    const { code, output } = await place.take(step)
    if ('run' in step && code !== (step.exit ?? 0))
      throw new Error(`"${step.run}" ended with ${code}: ${lastOf(output)}`)
  }
  const { output } = await place.take(status)
  result.connected = status.pattern.test(output)
  if (!result.connected) throw new Error(`"${status.run}" printed ${lastOf(output)}`)
  return (await place.take({ run: ask })).output
}

async function askThroughRemote(trial: Trial, result: Result): Promise<string> {
  const { way, url, token } = trial
  const place = placeOf(trial, REMOTE_ENV)
  const headers = way === 'bearer' ? ['--header', `Authorization: Bearer ${token}`] : []
  const [answer = ''] = await remoteComputer({ place, url, options: headers }).ask()
  result.connected = !answer.startsWith('no session')
  return answer
}

function placeOf({ way, bin, person, token }: Trial, env: Record<string, string>): Place {
  return makePlace({
    folder: mkdtempSync(join(folder, `home-${way}-`)),
    path: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    env: { ...env, ...(way === 'bearer' && { SVC_TOKEN: token }) },
    person,
    seconds: SECONDS_PER_COMMAND,
  })
}
