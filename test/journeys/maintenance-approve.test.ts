import { request as send } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { followDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { uploadFiles } from '#test/apps/live-app.ts'
import { appPortOf } from '#test/door/app-port.ts'
import { type FakeChat, startFakeChat } from '#test/outside/fake-chat.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

const SERVER = `import { createServer } from 'node:http'
function total(cart) {
  return cart.items.length
}
createServer((request, response) => {
  if (request.url === '/') return response.end('ready')
  try {
    response.end('items: ' + total({}))
  } catch (error) {
    console.error(error)
    response.end('broken')
  }
}).listen(Number(process.env.PORT), '127.0.0.1')
`
const TEMPLATE = "TypeError: Cannot read properties of undefined (reading 'length')"

let system: System
let fake: FakeChat
let admin: Person
let host: string
beforeAll(async () => {
  fake = await startFakeChat()
  const providers = [fake.provider('acme', 'openai', [{ name: 'large' }])]
  system = await startSystem({
    env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true', SVC_AI_PROVIDERS: JSON.stringify(providers) },
  })
  admin = await system.member('admin')
  const client = system.client(admin.token)
  const settings = { start_command: 'node server.mjs', health_path: '/' }
  host = new URL((await client.call(createApp, { alias: 'shop', settings })).url!).host
  const revision_id = await uploadFiles(system, admin, { alias: 'shop', files: { 'server.mjs': SERVER } })
  const { id: deploy_id } = await client.call(startDeploy, { alias: 'shop', revision_id })
  for await (const event of client.stream(followDeploy, { alias: 'shop', deploy_id })) void event
  await client.call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, model: 'acme/large' })
  await client.call(changeAppMaintenance, { alias: 'shop', enabled: true })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

const svc = (args: string[], as: Person) =>
  runSvc(['apps', ...args], { env: { SVC_API_URL: system.url, SVC_API_KEY: as.token } })

/** `*.localhost` need not resolve on every machine, so the name travels in the Host header. */
async function ask(): Promise<string> {
  const port = await appPortOf(system.url, host)
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port, path: '/cart', headers: { host } }, (response) => {
      text(response).then(resolve, reject)
    })
    request.on('error', reject)
    request.end()
  })
}

/** Lets the model stage an edit and then end the run with a change. */
function scriptModel(): void {
  const answer = (name: string, given: object) => ({
    toolCalls: [{ id: 'call_1', name, arguments: JSON.stringify(given) }],
  })
  const place = { kind: 'error_in_code', path: 'server.mjs', template: TEMPLATE }
  const edit = { path: 'server.mjs', old: 'cart.items.length', new: 'cart.items?.length ?? 0' }
  fake.next.push(
    answer('stage_edit', edit),
    answer('finish', { verdict: 'change', ...place, summary: 'A cart can have no items.', evidence: [1] }),
  )
}

it('MA-05 MA-11 a model proposes a change of a fault in the log, which another admin approves and which goes live', async () => {
  expect(await ask()).toBe('broken')
  const hasLogged = async () =>
    (await system.client(admin.token).call(searchLogs, { alias: 'shop' })).items.some((line) =>
      line.text.includes(TEMPLATE),
    )
  await until(hasLogged)
  scriptModel()
  const run = await svc(['maintenance', 'run', 'shop', '--follow', '--json'], admin)
  expect(run.exit).toBe(0)
  const summary = JSON.parse(run.stdout.trim().split('\n').at(-1)!) as { outcome: string; proposal_id: string }
  expect(summary).toMatchObject({ type: 'summary', outcome: 'proposed', exit_code: 0 })
  const { proposal_id } = summary
  const diff = await svc(['proposals', 'show', 'shop', proposal_id, '--diff'], admin)
  expect(diff.stdout).toContain('+  return cart.items?.length ?? 0')
  const owner = await system.member('owner', admin.org_id)
  expect(await svc(['proposals', 'approve', 'shop', proposal_id, '--yes'], admin)).toMatchObject({ exit: 3 })
  expect(await ask()).toBe('broken')
  expect(await svc(['proposals', 'approve', 'shop', proposal_id, '--yes'], owner)).toMatchObject({ exit: 0 })
  await until(async () => (await ask()) === 'items: 0')
  const shown = await until(async () => {
    const { stdout } = await svc(['proposals', 'show', 'shop', proposal_id, '--json'], admin)
    const proposal = JSON.parse(stdout) as Record<string, unknown>
    return proposal.status === 'deployed' && proposal
  })
  expect(shown).toMatchObject({ requested_by: admin.user_id, decided_by: owner.user_id, validation: 'static' })
})
