import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { listAudit } from '#contract/auth/members.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { listMaintenanceRuns, readMaintenance, readMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance, readOrgMaintenance } from '#contract/maintenance/settings.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { type System, startSystem } from '#test/system.ts'

type Person = Awaited<ReturnType<System['member']>>

const DEFAULTS = { nightly_cron: '0 3 * * *', timezone: 'UTC', cooldown_hours: 24 }
const MODEL = 'builtin/detectors'

let system: System
let admin: Person
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  admin = await system.member('admin')
  await api().call(createApp, { alias: 'shop' })
})

const api = (person = admin) => system.client(person.token)
const changeOrg = (change: { [key: string]: unknown }) =>
  api().call(changeOrgMaintenance, { org_id: admin.org_id, ...change })
const switchApp = (enabled: boolean) => api().call(changeAppMaintenance, { alias: 'shop', enabled })
const status = () => api().call(readMaintenance, { alias: 'shop' })

async function refusalOf(call: Promise<unknown>): Promise<ServiceError> {
  const refusal = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (refusal instanceof ServiceError) return refusal
  throw new Error('not refused', { cause: refusal })
}

describe('MA-01 the capability of an organization', () => {
  it('is off with the defaults until somebody enables it, and then needs a model', async () => {
    expect(await api().call(readOrgMaintenance, { org_id: admin.org_id })).toEqual({
      enabled: false,
      model: null,
      ...DEFAULTS,
    })
    const refusal = await refusalOf(changeOrg({ enabled: true }))
    expect([refusal.code, refusal.errors?.[0]?.path]).toEqual(['INVALID_REQUEST', 'model'])
    expect(await changeOrg({ enabled: true, model: MODEL })).toEqual({ enabled: true, model: MODEL, ...DEFAULTS })
  })

  it('keeps what is not given', async () => {
    await changeOrg({ enabled: true, model: MODEL, timezone: 'Europe/Berlin', cooldown_hours: 12 })
    await changeOrg({ enabled: false })
    expect(await changeOrg({ enabled: true, nightly_cron: '30 2 * * *' })).toEqual({
      enabled: true,
      model: MODEL,
      nightly_cron: '30 2 * * *',
      timezone: 'Europe/Berlin',
      cooldown_hours: 12,
    })
  })

  it('keeps the switch too where it is not given, and is off where it never was', async () => {
    expect(await changeOrg({ model: MODEL })).toEqual({ enabled: false, model: MODEL, ...DEFAULTS })
    expect(await changeOrg({ enabled: true })).toMatchObject({ enabled: true, model: MODEL })
    await switchApp(true)
    expect(await changeOrg({ cooldown_hours: 12 })).toMatchObject({ enabled: true, model: MODEL, cooldown_hours: 12 })
    expect((await status()).settings.enabled).toBe(true)
    expect(await changeOrg({})).toMatchObject({ enabled: true, model: MODEL, cooldown_hours: 12 })
    const owner = await system.member('owner', admin.org_id)
    const { items } = await api(owner).call(listAudit, { org_id: admin.org_id, limit: 100 })
    const changes = items.filter(({ action }) => action === 'maintenance.org_changed')
    expect(changes.map(({ detail }) => detail.changed)).toEqual([[], ['schedule'], ['organization_switch'], ['model']])
  })

  it('names every fault of the settings, and saves none of them', async () => {
    const faulty = { enabled: true, model: 'openai/none', nightly_cron: '@daily', timezone: 'Berlin' }
    const refusal = await refusalOf(changeOrg(faulty))
    expect(refusal.errors).toEqual([
      { path: 'model', message: 'No usable model has this name. Use one of: builtin/detectors.' },
      { path: 'timezone', message: 'This is not a timezone. Use an IANA name such as Europe/Berlin.' },
      { path: 'nightly_cron', message: 'A schedule has five fields, for example 0 3 * * *.' },
    ])
    expect(await api().call(readOrgMaintenance, { org_id: admin.org_id })).toMatchObject({
      enabled: false,
      ...DEFAULTS,
    })
  })

  it('enables no app when it is enabled, and covers every app when it is disabled', async () => {
    await changeOrg({ enabled: true, model: MODEL })
    expect((await status()).settings.enabled).toBe(false)
    await switchApp(true)
    await changeOrg({ enabled: false })
    await changeOrg({ enabled: true })
    expect((await status()).settings.enabled).toBe(false)
  })

  it('is changed by admins and owners only, never in a support session, and every change is on record', async () => {
    await changeOrg({ enabled: true, model: MODEL })
    const developer = await system.member('developer', admin.org_id)
    const change = { org_id: admin.org_id, enabled: false }
    expect((await refusalOf(api(developer).call(changeOrgMaintenance, change))).code).toBe('FORBIDDEN')
    const asked = { org_id: admin.org_id, staff_email: 'staff@example.com', reason: 'test' }
    const { id, token } = await system.operator.call(startSupport, asked)
    await system.operator.call(elevateSupport, { id })
    system.secrets.push(token)
    expect((await refusalOf(system.client(token).call(changeOrgMaintenance, change))).code).toBe('FORBIDDEN')
    const owner = await system.member('owner', admin.org_id)
    const { items } = await api(owner).call(listAudit, { org_id: admin.org_id, limit: 100 })
    expect(items.filter(({ action }) => action === 'maintenance.org_changed')).toHaveLength(1)
  })

  it('of another organization is not found', async () => {
    const other = await system.member('owner')
    const change = { org_id: admin.org_id, enabled: false }
    expect((await refusalOf(api(other).call(changeOrgMaintenance, change))).code).toBe('NOT_FOUND')
  })
})

describe('MA-02 the switch of an app', () => {
  it('needs the capability of the organization; switching off never does', async () => {
    expect((await refusalOf(switchApp(true))).code).toBe('MAINTENANCE_AGENT_NOT_FOUND')
    expect(await switchApp(false)).toEqual({ enabled: false })
    await changeOrg({ enabled: true, model: MODEL })
    expect(await switchApp(true)).toEqual({ enabled: true })
    expect(await status()).toEqual({ settings: { enabled: true, model: MODEL, ...DEFAULTS }, last_run: null })
  })

  it('of an app that does not exist is not found', async () => {
    await changeOrg({ enabled: true, model: MODEL })
    const change = { alias: 'none', enabled: true }
    expect((await refusalOf(api().call(changeAppMaintenance, change))).code).toBe('NOT_FOUND')
  })
})

describe('MA-03 history', () => {
  const insertRun = async (code: string | null) => {
    const id = newId('exe')
    await system.db.query(sql`
      insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, created_at, ended_at)
      select ${id}, org_id, id, 'nightly', ${MODEL}, ${code === null ? 'running' : 'ended'}, ${code}, now(),
        case when ${code}::text is null then null else now() end
      from apps.apps where org_id = ${admin.org_id}`)
    await system.db.query(sql`
      insert into maintenance.evidence (run_id, n, kind, reference, sha256, bytes)
      values (${id}, 1, 'logs', 'last 24 hours', 'ab', 12)`)
    return id
  }

  it('is newest first, is read by viewers, and stays readable while the organization is off', async () => {
    const older = await insertRun('found_nothing')
    const newer = await insertRun('finding_repeat')
    const viewer = await system.member('viewer', admin.org_id)
    const { items } = await api(viewer).call(listMaintenanceRuns, { alias: 'shop' })
    expect(items.map(({ execution_id, outcome, exit_code }) => [execution_id, outcome, exit_code])).toEqual([
      [newer, 'finding_recorded', 11],
      [older, 'found_nothing', 0],
    ])
    expect(items[0]?.evidence).toEqual([{ kind: 'logs', reference: 'last 24 hours', sha256: 'ab', bytes: 12 }])
    const asked = { alias: 'shop', execution_id: older }
    expect(await api(viewer).call(readMaintenanceRun, asked)).toEqual(items[1])
    expect((await refusalOf(api(viewer).call(readMaintenance, { alias: 'shop' }))).code).toBe(
      'MAINTENANCE_AGENT_NOT_FOUND',
    )
  })

  it('of another app or organization is not found', async () => {
    const execution_id = await insertRun('found_nothing')
    await api().call(createApp, { alias: 'second' })
    const ofOther = api().call(readMaintenanceRun, { alias: 'second', execution_id })
    expect((await refusalOf(ofOther)).code).toBe('NOT_FOUND')
    const other = await system.member('owner')
    expect((await refusalOf(api(other).call(listMaintenanceRuns, { alias: 'shop' }))).code).toBe('NOT_FOUND')
  })

  it.each([
    ['the app', () => switchApp(false), 'fenced_app_disabled'],
    ['the organization', () => changeOrg({ enabled: false }), 'fenced_org_disabled'],
  ] as const)('MA-06 shows a run as stopped once %s was switched off', async (_, disable, code) => {
    await changeOrg({ enabled: true, model: MODEL })
    await switchApp(true)
    const execution_id = await insertRun(null)
    await disable()
    const run = await api().call(readMaintenanceRun, { alias: 'shop', execution_id })
    expect(run).toMatchObject({ status: 'ended', terminal_code: code, outcome: 'fenced', exit_code: 6 })
  })
})
