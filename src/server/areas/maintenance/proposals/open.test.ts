import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { appPorts, type LiveApp, makeLive, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { recordFinding } from '../findings/store.ts'
import { findOpenProposal, openProposal } from './open.ts'
import { type ValidatedChange, validateChange } from './validate/validate-change.ts'

let system: System
let admin: Awaited<ReturnType<System['member']>>
let app: LiveApp
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  admin = await system.member('admin')
  app = await makeLiveApp(system, admin, { alias: 'shop', files: FILES })
})

const FILES = { 'server.js': "respond('broken')\n", 'data.bin': 'a\0b', 'notes.txt': 'one' }
const FIX = { path: 'server.js', old_text: 'broken', new_text: 'fixed' }
const NOT_BUILT = 'The app was not built: the test runs nothing.'
const NOON = new Date('2026-11-16T12:00:00Z')
const VALID: ValidatedChange = { validation: 'static', notes: [], revisionId: 'rev_next' }

const validate = (edits: readonly { path: string; old_text: string; new_text: string }[], isHeld = true) =>
  validateChange(appPorts(system), {
    orgId: admin.org_id,
    appId: app.id,
    revisionId: app.revisionId,
    edits,
    summary: 'Fixes the answer',
    hold: async () => isHeld,
    signal: new AbortController().signal,
  })

async function newRun(): Promise<string> {
  const id = newId('exe')
  await system.db.query(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, created_at, ended_at)
    values (${id}, ${admin.org_id}, ${app.id}, 'manual', 'test/model', 'ended', 'proposed', now(), now())`)
  return id
}

type Options = { fingerprint?: string; at?: Date; change?: ValidatedChange; baseRevisionId?: string }

async function open({ fingerprint = 'f1', at = NOON, change = VALID, baseRevisionId }: Options = {}) {
  const runId = await newRun()
  return system.db.tx(async (tx) => {
    const fault = { kind: 'error_in_code', path: 'server.js', symbol: null, template: 't', summary: 's' } as const
    await recordFinding(tx, { ...fault, appId: app.id, runId, fingerprint, at })
    return openProposal(tx, appPorts(system), {
      orgId: admin.org_id,
      app: { id: app.id, alias: app.alias, name: app.alias },
      runId,
      requestedBy: admin.user_id,
      fingerprint,
      summary: 'Fixes the answer',
      baseRevisionId: baseRevisionId ?? app.revisionId,
      change,
      at,
    })
  })
}

const idOf = (opened: Awaited<ReturnType<typeof open>>) => (typeof opened === 'string' ? opened : opened.proposalId)
/** The worker moves events from the outbox on at any moment. */
const eventsOf = (proposalId: string) =>
  system.db.query<{ type: string }>(sql`
    select type from svc.outbox where body ->> 'proposal_id' = ${proposalId}
    union all select type from notifications.events where body ->> 'proposal_id' = ${proposalId}`)
const proposalsOf = () =>
  system.db.query<{ status: string; day: string }>(sql`
    select status, day from maintenance.proposals where app_id = ${app.id} order by id`)

describe('MA-10 the validation of a change', () => {
  it('MA-16 adds a test file, which is part of the revision, and never replaces a file', async () => {
    const test = { path: 'test/server.test.js', old_text: '', new_text: 'check()\n' }
    const result = await validate([FIX, test])
    const { revisionId } = result as { revisionId: string }
    const content = await appPorts(system).source.read(app.id, revisionId, 'test/server.test.js')
    expect(Buffer.from(content!).toString()).toBe('check()\n')
    expect(await validate([{ path: 'data.bin', old_text: '', new_text: 'x' }])).toEqual({
      invalid: 'The change adds data.bin, which the live revision has already.',
    })
    expect(await validate([{ path: 'server.js/a.test.js', old_text: '', new_text: 'x' }])).toEqual({
      invalid: 'server.js: is also the folder of another file',
    })
    expect(await validate([{ ...test, new_text: 'check(' }])).toMatchObject({
      invalid: expect.stringMatching(/^test\/server\.test\.js does not parse/),
    })
  })

  it('makes a new revision of the agent, and says that its files parse', async () => {
    const result = await validate([FIX])
    expect(result).toEqual({ validation: 'static', notes: [NOT_BUILT], revisionId: expect.stringMatching(/^rev_/) })
    const revisionId = (result as { revisionId: string }).revisionId
    const { source } = appPorts(system)
    const text = async (path: string) => Buffer.from((await source.read(app.id, revisionId, path))!).toString()
    expect(await text('server.js')).toBe("respond('fixed')\n")
    expect(await text('notes.txt')).toBe('one')
    const [row] = await system.db.query(sql`select created_by, message from apps.revisions where id = ${revisionId}`)
    expect(row).toEqual({ created_by: null, message: 'Fixes the answer' })
    const actors = await system.db.query(sql`select actor from svc.audit where target = ${revisionId}`)
    expect(actors).toEqual([{ actor: 'maintenance agent' }])
  })

  it('says which files it could not judge', async () => {
    expect(await validate([{ path: 'notes.txt', old_text: 'one', new_text: 'two' }])).toMatchObject({
      validation: 'not_run',
      notes: ['notes.txt was not parsed: svc has no parser for this kind of file.', NOT_BUILT],
    })
  })

  it.each([
    ['does not parse', "n')", 'n(', 'server.js does not parse: Unterminated string constant. (1:8)'],
    ['does not apply', 'missing', 'x', 'Edit 1 of server.js does not apply: the text to replace is not in the file.'],
  ])('stores nothing of one that %s', async (_, old_text, new_text, invalid) => {
    expect(await validate([{ path: 'server.js', old_text, new_text }])).toEqual({ invalid })
    expect(await system.db.query(sql`select from apps.revisions where app_id = ${app.id}`)).toHaveLength(1)
  })

  it.each([
    ['a file that is no text', 'data.bin', 'a'],
    ['a path that leaves the source', '../server.js', 'broken'],
    ['a name that every object has', 'constructor', 'x'],
  ])('refuses %s', async (_, path, old_text) => {
    const reason = `Edit 1 of ${path} does not apply: the file is not in the live revision, or is no text.`
    expect(await validate([{ path, old_text, new_text: 'y' }])).toEqual({ invalid: reason })
  })

  it('MA-06 stores nothing once the run was stopped', async () => {
    expect(await validate([FIX], false)).toBeUndefined()
    expect(await system.db.query(sql`select from apps.revisions where app_id = ${app.id}`)).toHaveLength(1)
    const blobs = await system.db.query(sql`select from apps.blobs where org_id = ${admin.org_id}`)
    expect(blobs).toHaveLength(Object.keys(FILES).length)
  })
})

describe('MA-09 a proposal', () => {
  it('is opened with its event, and a second one that day is not', async () => {
    const first = await open()
    expect(first).toEqual({ proposalId: expect.stringMatching(/^pr_/) })
    expect(await eventsOf(idOf(first))).toEqual([{ type: 'application.maintenance.proposal.created' }])
    expect(await open({ fingerprint: 'f2' })).toBe('limit_day')
    expect(await open({ fingerprint: 'f2', at: new Date('2026-11-17T00:00:00Z') })).not.toBe('limit_day')
  })

  it('of the same fault is not opened again while the first is undecided', async () => {
    const first = await open()
    const tomorrow = new Date('2026-11-17T12:00:00Z')
    expect(await open({ at: tomorrow })).toBe('known')
    const open1 = { appId: app.id, fingerprint: 'f1', at: tomorrow }
    expect(await system.db.tx((tx) => findOpenProposal(tx, appPorts(system), open1))).toBe(idOf(first))
    const revisionId = await uploadFiles(system, admin, { alias: 'shop', files: { 'server.js': 'changed()' } })
    await makeLive(system, { id: app.id, revisionId })
    expect(await open({ at: tomorrow, baseRevisionId: revisionId })).not.toBe('known')
  })

  it('that is not valid is stored without an event, and counts for the day', async () => {
    const opened = await open({ change: { invalid: 'it does not parse' } })
    expect(await eventsOf(idOf(opened))).toEqual([])
    expect(await open({ fingerprint: 'f2' })).toBe('limit_day')
    expect(await proposalsOf()).toEqual([{ status: 'invalid', day: '2026-11-16' }])
  })

  it.each([
    ['Pacific/Kiritimati', '2026-11-16T09:59:59Z', '2026-11-16'],
    ['Pacific/Kiritimati', '2026-11-16T10:00:00Z', '2026-11-17'],
    ['America/Los_Angeles', '2026-11-16T07:59:59Z', '2026-11-15'],
  ])('counts for the day in %s: at %s it is %s', async (timezone, at, day) => {
    const settings = { org_id: admin.org_id, enabled: true, model: 'builtin/detectors', timezone }
    await system.client(admin.token).call(changeOrgMaintenance, settings)
    await open({ at: new Date(at) })
    expect(await proposalsOf()).toEqual([{ status: 'ready', day }])
  })

  it('is one a day whatever timezone is set, to the east, to the west and back', async () => {
    const setTimezone = (timezone: string) => {
      const settings = { org_id: admin.org_id, enabled: true, model: 'builtin/detectors', timezone }
      return system.client(admin.token).call(changeOrgMaintenance, settings)
    }
    await open()
    for (const [n, timezone] of ['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC', 'Pacific/Kiritimati'].entries()) {
      await setTimezone(timezone)
      expect([timezone, await open({ fingerprint: `g${n}` })]).toEqual([timezone, 'limit_day'])
    }
    await setTimezone('UTC')
    await open({ fingerprint: 'f2', at: new Date('2026-11-17T00:00:00Z') })
    expect((await proposalsOf()).map(({ day }) => day)).toEqual(['2026-11-16', '2026-11-17'])
  })
})

needs('postgres')('MA-09 proposals at once', () => {
  it('are one a day, however many runs end in the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, (_, n) => open({ fingerprint: `f${n}` })))
    expect(all.filter((one) => typeof one === 'object')).toHaveLength(1)
    expect(all.filter((one) => one === 'limit_day')).toHaveLength(9)
    expect(await proposalsOf()).toHaveLength(1)
  })
})
