import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { readDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { uploadRevision } from '#contract/apps/revisions.ts'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { type Client, createClient } from '#contract/core/client.ts'
import { openTestDatabase } from '#test/database.ts'
import { appPortOf } from '#test/door/app-port.ts'
import { freePort } from '#test/free-port.ts'
import { type ServerProcess, startProcess } from '#test/programs/processes.ts'
import { stores } from '#test/stores.ts'
import { testEnvironment } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { Environment } from '../../src/server/config/reader.ts'

const SERVER = `
  import { createServer } from 'node:http'
  createServer((_, response) => response.end('up')).listen(Number(process.env.PORT), '127.0.0.1')`

// The build or the start takes long enough to be met by the kill.
const STEPS = [
  ['live', { build_command: null, start_command: 'node server.mjs' }],
  ['building', { build_command: 'sleep 5', start_command: 'node server.mjs' }],
  ['starting', { build_command: null, start_command: 'sleep 5; node server.mjs' }],
  ['queued', { build_command: null, start_command: 'node server.mjs' }],
] as const
type Step = (typeof STEPS)[number][0]

/** One process has an app at each step, because two starts for each would take four times the processor time. */
describe('MA-15 svc killed while a deploy is under way', () => {
  const stack = new AsyncDisposableStack()
  const deploys = new Map<Step, { deploy_id: string; host: string; marker: string }>()
  let second: ServerProcess
  let livePids: readonly string[]
  let after: Client

  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-apps-killed-'))
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const database = stores.postgres ? stack.use(await openTestDatabase()) : undefined
    const env = {
      ...testEnvironment(database?.url, dataDir),
      SVC_EXAMPLE: 'false',
      SVC_ALLOW_PROCESS_DEPLOYS: 'true',
      // Apps have the address of the server, and are started again if it is another one.
      PORT: String(await freePort()),
      // The port after it may be taken by another test at one of the two starts.
      SVC_APPS_PORT: String(await freePort()),
    }
    const first = stack.use(await startProcess(env))
    const token = await developerToken(first, env)
    const before = clientOf(first, token)
    const isMet = async (step: Step) => {
      const { state } = await before.call(readDeploy, { alias: step, deploy_id: deploys.get(step)!.deploy_id })
      return state === step || state === 'live'
    }
    for (const [step, settings] of STEPS) {
      const marker = randomUUID()
      const start_command = `${settings.start_command} ${marker}`
      const { url } = await before.call(createApp, { alias: step, settings: { ...settings, start_command } })
      const { id: revision_id } = await before.upload(uploadRevision, { alias: step }, archive())
      // The last deploy has just been queued when the process is killed.
      if (step === 'queued') await until(async () => (await isMet('building')) && (await isMet('starting')))
      const { id: deploy_id } = await before.call(startDeploy, { alias: step, revision_id })
      deploys.set(step, { deploy_id, host: new URL(url!).hostname, marker })
      if (step === 'live') await until(() => isMet('live'))
    }
    livePids = pidsOf(deploys.get('live')!.marker)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    second = stack.use(await startProcess(env))
    after = clientOf(second, token)
  })
  afterAll(() => stack.disposeAsync())

  it.each(STEPS)('%s: the deploy ends live after the next start', async (step) => {
    const { deploy_id, host, marker } = deploys.get(step)!
    const ended = await until(async () => {
      const deploy = await after.call(readDeploy, { alias: step, deploy_id })
      return (deploy.state === 'live' || deploy.state === 'failed') && deploy
    })
    expect(ended).toMatchObject({ state: 'live', failure_code: null })
    // The port for apps opens with the first app, some time after the start.
    await until(async () => (await ask(second, host).catch(() => undefined)) === 'up')
    expect(pidsOf(marker)).toHaveLength(1)
  })

  it('OP-01 the start says that the deployed app may not run yet', () => {
    // On Postgres the killed process may still have the lease of the app.
    const startNotes = second.output.filter((line) => line.includes('1 deployed app is still running or starting'))
    if (!stores.postgres) expect(startNotes).toHaveLength(1)
  })

  it('OP-07 the app that was live is the same process as before', () => {
    expect(livePids).toHaveLength(1)
    expect(pidsOf(deploys.get('live')!.marker)).toEqual(livePids)
  })
})

/** Returns the processes of Node on this machine, in sandboxes too, that have the argument. */
function pidsOf(argument: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [program, ...rest] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        return program === 'node' && rest.includes(argument)
      } catch {
        return false
      }
    })
}

async function developerToken(server: ServerProcess, env: Environment): Promise<string> {
  const headers = () => ({ authorization: `Bearer ${env.SVC_OPERATOR_TOKEN}` })
  const operator = createClient({ baseUrl: server.url, fetch, headers })
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Shops' })
  const asked = { org_id, email: 'dev@example.com', role: 'developer' as const, name: 'test' }
  return (await operator.call(adminCreateToken, asked)).token
}

function clientOf({ url }: ServerProcess, token: string): Client {
  return createClient({ baseUrl: url, fetch, headers: () => ({ authorization: `Bearer ${token}` }) })
}

function archive(): AsyncIterable<Uint8Array> {
  const tar = pack()
  tar.entry({ name: 'server.mjs' }, SERVER)
  tar.finalize()
  return tar
}

async function ask({ url }: ServerProcess, host: string): Promise<string> {
  const port = await appPortOf(url, host)
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port, path: '/', headers: { host } }, (response) => {
      text(response).then(resolve, reject)
    })
    request.on('error', reject)
    request.end()
  })
}
