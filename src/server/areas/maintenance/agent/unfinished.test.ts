import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ingestLogs } from '#contract/apps/logs.ts'
import { denyProposal, listProposals } from '#contract/maintenance/proposals.ts'
import { type MaintenanceRun, readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { appPorts, type LiveApp, makeLive, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { type FakeChat, type FakeReply, startFakeChat } from '#test/outside/fake-chat.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { createAgentPool, createChatModels } from '../../ai/index.ts'
import type { ClaimedRun } from '../claims/claim.ts'
import { createRunTokens } from '../claims/token.ts'
import { workAt } from '../runs/work.ts'
import { AGENT_LIMITS } from './limits.ts'

const TEMPLATE = "TypeError: Cannot read properties of undefined (reading 'length')"
const TRACE = `${TEMPLATE}\n    at total (/srv/app/cart.js:2:22)`
const FILES = { 'cart.js': 'export function total(cart) {\n  return cart.items.length\n}\n' }

const stack = new AsyncDisposableStack()
let fake: FakeChat
let system: System
let admin: Awaited<ReturnType<System['member']>>
let app: LiveApp
beforeAll(async () => {
  fake = stack.use(await startFakeChat())
  const providers = [fake.provider('acme', 'openai', [{ name: 'large' }])]
  system = stack.use(await startSystem({ env: { SVC_AI_PROVIDERS: JSON.stringify(providers) } }))
})
afterAll(() => stack.disposeAsync())
beforeEach(async () => {
  admin = await system.member('admin')
  app = await makeLiveApp(system, admin, { alias: 'shop', files: FILES })
  await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, model: 'acme/large' })
  await api().call(changeAppMaintenance, { alias: 'shop', enabled: true })
  fake.asked.length = 0
  fake.next.length = 0
})

const api = () => system.client(admin.token)
const read = (execution_id: string) => api().call(readMaintenanceRun, { alias: 'shop', execution_id })

async function writeLog(text: string): Promise<void> {
  const body = `${JSON.stringify({ level: 'error', text })}\n`
  const upload = { contentType: 'application/x-ndjson' } as const
  await api().upload(ingestLogs, { alias: 'shop' }, new Blob([body]).stream(), upload)
}

async function run(...replies: FakeReply[]): Promise<MaintenanceRun> {
  fake.next.push(...replies)
  const { execution_id } = await api().call(startMaintenanceRun, { alias: 'shop', mode: 'nightly' })
  return until(async () => {
    const found = await read(execution_id)
    return found.status === 'ended' && found
  })
}

const call = (name: string, given: object = {}) => ({
  toolCalls: [{ id: 'call_1', name, arguments: JSON.stringify(given) }],
})
const NOTHING = call('finish', { verdict: 'nothing' })
const EDIT = call('stage_edit', { path: 'cart.js', old: 'cart.items.length', new: 'cart.items?.length ?? 0' })
const PLACE = { kind: 'error_in_code', path: 'cart.js', template: TEMPLATE }
const CHANGE = call('finish', { verdict: 'change', ...PLACE, summary: 'The cart can be empty.', evidence: [1] })

/** Works at a run in this process, with a time limit of its own. The worker of the system leaves it alone. */
async function workFor(milliseconds: number): Promise<MaintenanceRun> {
  const [claimed] = await system.db.query<ClaimedRun>(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, fence, lease_until, created_at)
    values (${newId('exe')}, ${admin.org_id}, ${app.id}, 'manual', 'acme/large', 'running', nextval('svc.fences'),
      clock_timestamp() + interval '1 hour', now())
    returning id, fence, org_id, app_id, model, requested_by, revision_id`)
  await using outgoing = createOperatorFetch()
  const models = createChatModels(system.config.ai.providers, { outgoing })
  const ports = appPorts(system)
  await workAt(
    {
      db: system.db,
      clock: systemClock,
      apps: { find: async () => ({ id: app.id, alias: 'shop', name: 'shop' }) },
      source: ports.source,
      pool: createAgentPool({ db: system.db, clock: systemClock, limit: 1_000_000, timezoneOf: async () => 'UTC' }),
      findModel: (name) => models.find(name),
      limits: { ...AGENT_LIMITS, milliseconds },
      tokens: createRunTokens(system.config.secrets.internalSecret),
      changes: ports,
      redactorOf: ports.redactorOf,
      toolFetch: (request) => fetch(new Request(request.url.replace('http://deploy-api', system.url), request)),
      onError: (error) => expect.fail(String(error)),
    },
    claimed!,
    new AbortController().signal,
  )
  return read(claimed!.id)
}

describe('MA-07 a run that cannot finish keeps what the detectors found', () => {
  it('when its time is over', async () => {
    await writeLog(TRACE)
    fake.next.push('silent')
    const done = await workFor(300)
    expect(done).toMatchObject({ terminal_code: 'timeout', outcome: 'agent_error', exit_code: 1 })
    expect(done.summary).toMatch(
      /^The run was not done after 0\.005 minutes\. Fixed rules found: An error in total in cart\.js/,
    )
    // The call was cut and is booked with the most that it can have cost.
    expect(done.tokens_spent).toBeGreaterThan(0)
  })

  it('when a tool fails because of a fault of svc', async () => {
    await writeLog(TRACE)
    const { promise: broken, resolve: breakTool } = Promise.withResolvers<void>()
    const running = run({ ...call('check_history', { name: 'home' }), begin: broken })
    await until(async () => fake.asked.length === 1)
    await system.db.query(sql`alter table checks.checks rename to checks_elsewhere`)
    breakTool()
    try {
      expect(await running).toMatchObject({
        terminal_code: 'tool_error',
        outcome: 'agent_error',
        tokens_spent: 15,
        summary: expect.stringMatching(/^Fixed rules found: An error in total in cart\.js/),
      })
    } finally {
      await system.db.query(sql`alter table checks.checks_elsewhere rename to checks`)
    }
  })

  it('MA-08 when its share of the pool is used up, which is no fault', async () => {
    await writeLog(TRACE)
    const usage = { input: 199_000, output: 900 }
    const done = await run({ ...call('list_files'), usage }, NOTHING)
    expect(done).toMatchObject({ terminal_code: 'budget_exhausted', outcome: 'budget_exhausted', exit_code: 0 })
    expect(done.summary).toMatch(
      /^The run used 199900 of the 200000 tokens of its share\. Fixed rules found: An error in total in cart\.js/,
    )
    expect([done.tokens_spent, fake.asked.length]).toEqual([199_900, 1])
  })

  it('MA-09 which the next complete look repeats and does not report as new', async () => {
    await writeLog(TRACE)
    const failed = await run({ status: 400 })
    expect(failed.outcome).toBe('agent_error')
    const next = await run(NOTHING)
    expect(next).toMatchObject({ outcome: 'finding_recorded', fingerprint: failed.fingerprint })
    const found = await system.db.query(sql`select count from maintenance.findings where app_id = ${app.id}`)
    expect(found).toEqual([{ count: 2 }])
  })
})

it('MA-09 MA-19 a change that comes after the proposal of the day is reported, and no revision is made of it', async () => {
  await writeLog(TRACE)
  expect((await run(EDIT, CHANGE)).outcome).toBe('proposed')
  await writeLog('Error: another fault')
  const defect = { kind: 'defect', path: 'cart.js', summary: 'The total is wrong.', evidence: [4] }
  const second = await run(
    call('read_file', { path: 'cart.js' }),
    EDIT,
    call('finish', { verdict: 'change', ...defect }),
  )
  expect(second).toMatchObject({
    terminal_code: 'proposal_limit_day',
    proposal_id: null,
    summary: 'The total is wrong.',
  })
  const revisions = await system.db.query(
    sql`select created_by from apps.revisions where app_id = ${app.id} order by id`,
  )
  expect(revisions).toEqual([{ created_by: admin.user_id }, { created_by: null }])
})

describe('MA-10 a change that was denied', () => {
  const proposals = async () => (await api().call(listProposals, { alias: 'shop' })).items
  /** The next run is one of another day, and sees something that the former did not. */
  const nextNight = async (n: number) => {
    await system.db.query(sql`
      update maintenance.proposals set day = day - 1, day_ends_at = day_ends_at - interval '1 day'
      where app_id = ${app.id}`)
    await writeLog(`Error: another fault ${'x'.repeat(n)}`)
  }

  it('is not proposed the next night, and is again once its file changed', async () => {
    await writeLog(TRACE)
    const first = await run(EDIT, CHANGE)
    expect(first.outcome).toBe('proposed')
    await api().call(denyProposal, { alias: 'shop', proposal_id: first.proposal_id! })
    await nextNight(1)
    const second = await run(EDIT, CHANGE)
    expect(second).toMatchObject({ terminal_code: 'finding_repeat', outcome: 'finding_recorded', proposal_id: null })
    expect(second.fingerprint).toBe(first.fingerprint)
    expect(await proposals()).toMatchObject([{ status: 'denied' }])
    const files = { 'cart.js': `// The cart of a guest.\n${FILES['cart.js']}` }
    const revisionId = await uploadFiles(system, admin, { alias: 'shop', files })
    await makeLive(system, { id: app.id, revisionId })
    await nextNight(2)
    const third = await run(EDIT, CHANGE)
    expect(third).toMatchObject({ outcome: 'proposed', fingerprint: first.fingerprint })
    expect(await proposals()).toMatchObject([{ id: third.proposal_id, status: 'ready' }, { status: 'denied' }])
  })
})
