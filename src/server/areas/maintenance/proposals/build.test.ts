import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { changeApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { listProposals, type Proposal, readProposal, retryProposal } from '#contract/maintenance/proposals.ts'
import { type MaintenanceRun, readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { sql } from '#lib/db/sql.ts'
import { type LiveApp, makeLive, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { proposeEdits } from '#test/apps/propose.ts'
import { type FakeChat, startFakeChat } from '#test/outside/fake-chat.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const TEMPLATE = "TypeError: Cannot read properties of undefined (reading 'length')"
const FILES = {
  'cart.mjs': 'export function total(cart) {\n  return cart.items.length\n}\n',
  'build.mjs':
    "import { total } from './cart.mjs'\nconsole.log('password=hunter2-not-to-be-seen')\ntotal({ items: [] })\n",
  'test.mjs': "import { total } from './cart.mjs'\nif (total({ items: [1] }) !== 1) throw new Error('wrong total')\n",
  'package.json': '{"scripts": {"test": "node test.mjs"}}\n',
}
const FIXED = 'return cart.items?.length ?? 0'
/** Parses, and fails when it is called. */
const BREAKS = 'return carts.items.length'

needs('bubblewrap')('MA-10 where the operator allows builds and tests', () => {
  let fake: FakeChat
  let system: System
  let admin: Awaited<ReturnType<System['member']>>
  let app: LiveApp
  beforeAll(async () => {
    fake = await startFakeChat()
    const providers = [fake.provider('acme', 'openai', [{ name: 'large' }])]
    system = await startSystem({
      env: {
        SVC_AI_PROVIDERS: JSON.stringify(providers),
        SVC_ALLOW_PROCESS_DEPLOYS: 'true',
        SVC_MAINTENANCE_BUILD: 'test',
      },
    })
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await fake?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    admin = await system.member('admin')
    fake.next.length = 0
  })

  const api = () => system.client(admin.token)
  const trials = () => {
    const folder = join(system.config.dataDir, 'trials')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  const isBuilding = () =>
    trials().some((name) => existsSync(join(system.config.dataDir, 'trials', name, 'running', 'process.first')))
  const switchOff = () => api().call(changeAppMaintenance, { alias: 'shop', enabled: false })

  async function makeShop(build_command: string, files: Record<string, string> = FILES): Promise<void> {
    app = await makeLiveApp(system, admin, { alias: 'shop', files })
    await api().call(changeApp, { alias: 'shop', settings: { build_command } })
    await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, model: 'acme/large' })
    await api().call(changeAppMaintenance, { alias: 'shop', enabled: true })
    const text = `${TEMPLATE}\n    at total (/srv/app/cart.mjs:2:10)`
    const body = `${JSON.stringify({ level: 'error', text })}\n`
    const upload = { contentType: 'application/x-ndjson' } as const
    await api().upload(ingestLogs, { alias: 'shop' }, new Blob([body]).stream(), upload)
  }

  /** Starts a run whose model replaces what `total` returns, and adds a test that it names if there is one. */
  async function startRun(replacement: string, test?: { path: string; text: string }): Promise<string> {
    const answer = (name: string, given: object) => ({
      toolCalls: [{ id: 'call_1', name, arguments: JSON.stringify(given) }],
    })
    fake.next.push(
      answer('stage_edit', { path: 'cart.mjs', old: 'return cart.items.length', new: replacement }),
      ...(test ? [answer('stage_edit', { path: test.path, old: '', new: test.text })] : []),
      answer('finish', {
        verdict: 'change',
        ...(test && { test: test.path }),
        kind: 'error_in_code',
        path: 'cart.mjs',
        template: TEMPLATE,
        summary: 'The cart can be empty.',
        evidence: [1],
      }),
    )
    return (await api().call(startMaintenanceRun, { alias: 'shop', mode: 'manual' })).execution_id
  }

  async function ended(execution_id: string): Promise<MaintenanceRun> {
    const read = () => api().call(readMaintenanceRun, { alias: 'shop', execution_id })
    return until(async () => {
      const run = await read()
      return run.status === 'ended' && run
    })
  }

  const show = (proposal_id: string | null) => api().call(readProposal, { alias: 'shop', proposal_id: proposal_id! })

  const validated = (id: string) =>
    until(async () => {
      const proposal = await show(id)
      return proposal.status !== 'validating' && proposal
    })

  async function proposed(replacement: string): Promise<Proposal> {
    return show((await ended(await startRun(replacement))).proposal_id)
  }

  it('a change whose build and tests pass is tested', async () => {
    await makeShop('node build.mjs')
    expect(await proposed(FIXED)).toMatchObject({ status: 'ready', validation: 'tested', validation_notes: [] })
    expect(trials()).toEqual([])
  })

  it('MA-16 a change whose test fails on the live revision is proven, and shown with both outputs and the test', async () => {
    const script = 'for test in *test.mjs; do node $test || exit 1; done'
    const files = { ...FILES, 'package.json': JSON.stringify({ scripts: { test: script } }) }
    await makeShop('node build.mjs', files)
    const text = "import { total } from './cart.mjs'\nif (total({}) !== 0) throw new Error('wrong total')\n"
    const run = await ended(await startRun(FIXED, { path: 'cart.test.mjs', text }))
    const proposal_id = run.proposal_id!
    const read = { alias: 'shop', proposal_id, diff: true }
    const { status, validation, validation_notes, proof, diff } = await api().call(readProposal, read)
    expect([status, validation, validation_notes]).toEqual(['ready', 'proven', []])
    expect(proof).toEqual({
      outcome: 'proven',
      text: 'Proven: with cart.test.mjs the tests fail on the live revision and pass with the change, 3 times each.',
      test: 'cart.test.mjs',
      before: { runs: ['failed', 'failed', 'failed'], output: expect.stringContaining(TEMPLATE) },
      after: { runs: ['passed', 'passed', 'passed'], output: expect.stringContaining('> for test in') },
    })
    expect(diff!.files.map(({ path, change }) => [path, change])).toEqual([
      ['cart.mjs', 'modified'],
      ['cart.test.mjs', 'added'],
    ])
    const { items } = await api().call(listProposals, { alias: 'shop' })
    expect(items[0]!.proof).toMatchObject({ outcome: 'proven', before: { output: null }, after: { output: null } })
    await switchOff()
    await makeLive(system, {
      id: app.id,
      revisionId: await uploadFiles(system, admin, { alias: 'shop', files: { ...files, 'other.txt': 'x' } }),
    })
    await api().call(retryProposal, { alias: 'shop', proposal_id })
    expect(await validated(proposal_id)).toMatchObject({
      validation: 'static',
      proof: {
        outcome: 'not_run',
        text: 'Not proven: cart.test.mjs was not judged, because the maintenance agent is off for this app.',
      },
    })
  })

  it('a change that breaks the build is not valid, with the reason and without secrets', async () => {
    await makeShop('node build.mjs')
    const shown = await proposed(BREAKS)
    expect(shown).toMatchObject({ status: 'invalid', revision_id: null, validation: null })
    expect(shown.invalid_reason).toMatch(
      /^The app does not build with this change: exit code 1\. Its output ends with:/,
    )
    expect(shown.invalid_reason).toContain('password=[redacted]')
    expect(shown.invalid_reason).toContain('ReferenceError: carts is not defined')
    expect(shown.invalid_reason!.length).toBeLessThan(1_200)
  })

  it('a build that needs the network says nothing about a change, and one that fails without the change neither', async () => {
    await makeShop(`node -e "fetch('http://example.com').then(({ ok }) => process.exit(ok ? 0 : 1))"`)
    expect(await proposed(BREAKS)).toMatchObject({
      status: 'ready',
      validation: 'static',
      validation_notes: [
        expect.stringMatching(/^The build says nothing about the change, because it needs the network/),
        'The tests were not run: the app was not built.',
      ],
    })
    admin = await system.member('admin')
    await makeShop('test -f not-there.txt')
    expect(await proposed(FIXED)).toMatchObject({
      status: 'ready',
      validation: 'static',
      validation_notes: [
        'The build says nothing about the change, because the build of the live revision does not pass here either: exit code 1.',
        'The tests were not run: the app was not built.',
      ],
    })
  })

  it('MA-06 switching off during the build ends it, and nothing is stored', async () => {
    await makeShop('sleep 1000')
    const execution_id = await startRun(FIXED)
    await until(async () => isBuilding())
    await switchOff()
    await until(async () => trials().length === 0)
    expect(await ended(execution_id)).toMatchObject({ terminal_code: 'fenced_app_disabled', proposal_id: null })
    expect(await system.db.query(sql`select from maintenance.proposals where app_id = ${app.id}`)).toEqual([])
    expect(await system.db.query(sql`select id from apps.revisions where app_id = ${app.id}`)).toEqual([
      { id: app.revisionId },
    ])
  })

  it('MA-06 switching off while a person has a change validated again ends the build, and the rest is validated', async () => {
    await makeShop('sleep 1000')
    const id = await proposeEdits(system, {
      org_id: admin.org_id,
      alias: 'shop',
      requestedBy: null,
      edits: [{ path: 'cart.mjs', old_text: 'return cart.items.length', new_text: FIXED }],
    })
    const revisionId = await uploadFiles(system, admin, { alias: 'shop', files: { ...FILES, 'other.txt': 'x' } })
    await makeLive(system, { id: app.id, revisionId })
    await api().call(retryProposal, { alias: 'shop', proposal_id: id })
    await until(async () => isBuilding())
    await switchOff()
    expect(await validated(id)).toMatchObject({
      status: 'ready',
      validation: 'static',
      base_revision_id: revisionId,
      validation_notes: ['The app was not built: the maintenance agent is off for this app.'],
    })
    await until(async () => trials().length === 0)
  })
})
