import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readApp } from '#contract/apps/apps.ts'
import { searchLogs } from '#contract/apps/logs.ts'
import { readProposal } from '#contract/maintenance/proposals.ts'
import { type ExampleModel, startExampleModel } from '#test/outside/example-model.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { requestOf } from '../../src/server/areas/maintenance/detect/signals/request-line.ts'
import { commandsOf } from '../guides/commands.ts'
import { type Ran, Reader, writePrograms } from '../guides/reader.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'maintenance.md'), 'utf8')
const SECTION = /^## Try a proposal without an account$([\s\S]*?)^## /m.exec(GUIDE)![1]!
const SERVER = /^```js\n([\s\S]*?)^```$/m.exec(SECTION)![1]!
const COMMANDS = commandsOf('docs/maintenance.md', SECTION)
  .map(({ text }) => text)
  .filter((text) => !text.startsWith('node examples/'))

let example: ExampleModel
let system: System
let owner: Awaited<ReturnType<System['member']>>
let root: string
let reader: Reader
beforeAll(async () => {
  example = await startExampleModel()
  system = await startSystem({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true', ...example.env } })
  owner = await system.member('owner')
  root = mkdtempSync(join(tmpdir(), 'svc-proposal-'))
  for (const name of ['bin', 'work']) mkdirSync(join(root, name))
  writePrograms(join(root, 'bin'))
  writeFileSync(join(root, 'work', 'server.mjs'), SERVER)
  const env = {
    SVC_API_URL: system.url,
    SVC_API_KEY: owner.token,
    SVC_OPERATOR_TOKEN: system.config.secrets.operatorToken!,
    SVC_CONFIG_DIR: join(root, 'config'),
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
  }
  reader = new Reader({ folder: join(root, 'work'), env })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await example?.[Symbol.asyncDispose]()
  if (root) rmSync(root, { recursive: true, force: true })
})

const client = () => system.client(owner.token)
const ids = { address: '', proposal: '' }

/** Types the next commands of the guide, up to and including the one that begins like this. */
let typed = 0
async function follow(start: string): Promise<Ran> {
  for (;;) {
    const command = COMMANDS[typed++]!
    const ran = await type(command)
    if (command.startsWith(start)) return ran
    expect([command, ran.exit, ran.stderr]).toEqual([command, 0, expect.any(String)])
  }
}

const type = (command: string) =>
  reader.run(
    command
      .replaceAll('http://127.0.0.1:8080', system.url)
      .replaceAll('<org_id>', owner.org_id)
      .replaceAll('<address>', ids.address)
      .replaceAll('<proposal_id>', ids.proposal),
  )

it('MA-05 MA-11 MA-34 by the guide, the example model proposes a correction that another admin approves and that goes live', async () => {
  await follow('svc apps show')
  ids.address = (await client().call(readApp, { alias: 'cart' })).url!.replace(/\/$/, '')
  expect((await follow('curl')).stdout).toBe('broken\n')
  await until(async () =>
    (await client().call(searchLogs, { alias: 'cart' })).items.some(({ text }) => text.includes('at countItems')),
  )
  expect((await follow('svc apps logs')).stdout).toContain(
    "TypeError: Cannot read properties of undefined (reading 'length')",
  )

  const run = await follow('svc apps maintenance run')
  expect([run.exit, run.stdout]).toEqual([0, expect.stringContaining('countItems in server.mjs reads the length of')])
  // The title that the detectors gave the same fault.
  expect(run.stdout).toContain('An error in countItems in server.mjs was logged once: TypeError: Cannot read')
  ids.proposal = /Proposed (pr_\w+)/.exec(run.stdout)![1]!
  const shown = await follow('svc apps proposals show')
  expect(shown.stdout).toContain('\n-  return cart.items.length\n+  return (cart.items?.length ?? 0)\n')

  const { token } = JSON.parse((await follow('curl')).stdout) as { token: string }
  writeFileSync(join(root, 'work', 'ada.txt'), token)
  const refused = await follow('svc apps proposals approve')
  expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('another owner or admin must approve it')])
  expect(await follow('svc apps proposals approve')).toMatchObject({ exit: 0 })
  const readOne = () => client().call(readProposal, { alias: 'cart', proposal_id: ids.proposal })
  await until(async () => (await readOne()).status === 'deployed')
  expect((await follow('curl')).stdout).toBe('items: 0\n')
  // Without a line that svc reads as a request, nothing could tell whether the fault is gone.
  await until(async () => {
    const { items } = await client().call(searchLogs, { alias: 'cart' })
    return items.map(({ text }) => requestOf(text)).some((one) => one?.endpoint === 'GET /empty' && one.status === 200)
  })
  expect(typed).toBe(COMMANDS.length)
  const { decided_by, ...proposal } = await readOne()
  expect(proposal).toMatchObject({ requested_by: owner.user_id, validation: 'static' })
  expect(decided_by).not.toBe(owner.user_id)
})
