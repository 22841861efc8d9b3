import { request as send } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { followDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { runSvc } from '#test/cli-run.ts'
import { uploadFiles } from '#test/live-app.ts'
import { proposeEdits } from '#test/propose.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

const SERVER = `
  import { createServer } from 'node:http'
  createServer((request, response) => response.end('broken')).listen(Number(process.env.PORT), '127.0.0.1')`

let system: System
let admin: Person
let host: string
beforeAll(async () => {
  system = await startSystem({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
  admin = await system.member('admin')
  const client = system.client(admin.token)
  const settings = { start_command: 'node server.mjs', health_path: '/' }
  host = new URL((await client.call(createApp, { alias: 'shop', settings })).url!).host
  const revision_id = await uploadFiles(system, admin, { alias: 'shop', files: { 'server.mjs': SERVER } })
  const { id: deploy_id } = await client.call(startDeploy, { alias: 'shop', revision_id })
  for await (const event of client.stream(followDeploy, { alias: 'shop', deploy_id })) void event
})
afterAll(() => system?.[Symbol.asyncDispose]())

const svc = (args: string[], as: Person) =>
  runSvc(['apps', 'proposals', ...args], { env: { SVC_API_URL: system.url, SVC_API_KEY: as.token } })

/** `*.localhost` need not resolve on every machine, so the name travels in the Host header. */
function ask(): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(system.url)
    const request = send({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      text(response).then(resolve, reject)
    })
    request.on('error', reject)
    request.end()
  })
}

it('MA-11 a change that another admin approves is deployed and goes live; the one who asked for it is refused', async () => {
  expect(await ask()).toBe('broken')
  const edits = [{ path: 'server.mjs', old_text: "'broken'", new_text: "'fixed'" }]
  const proposalId = await proposeEdits(system, {
    org_id: admin.org_id,
    alias: 'shop',
    requestedBy: admin.user_id,
    edits,
  })
  const owner = await system.member('owner', admin.org_id)
  expect(await svc(['approve', 'shop', proposalId, '--yes'], admin)).toMatchObject({ exit: 3 })
  expect(await ask()).toBe('broken')
  expect(await svc(['approve', 'shop', proposalId, '--yes'], owner)).toMatchObject({ exit: 0 })
  await until(async () => (await ask()) === 'fixed')
  const shown = await until(async () => {
    const { stdout } = await svc(['show', 'shop', proposalId, '--json'], admin)
    const proposal = JSON.parse(stdout) as Record<string, unknown>
    return proposal.status === 'deployed' && proposal
  })
  expect(shown).toMatchObject({ requested_by: admin.user_id, decided_by: owner.user_id, validation: 'static' })
})
