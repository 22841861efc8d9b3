import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, readApp } from '#contract/apps/apps.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { dismissFinding, listFindings, readFinding, reopenFinding } from '#contract/maintenance/findings.ts'
import { type MaintenanceRun, readMaintenanceRun, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { sql } from '#lib/db/sql.ts'
import { makeLive, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { recordAll } from './record.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let admin: Person
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  admin = await system.member('admin')
  await api().call(createApp, { alias: 'shop' })
  await api().call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, model: 'builtin/detectors' })
  await api().call(changeAppMaintenance, { alias: 'shop', enabled: true })
})

const api = (token = admin.token) => system.client(token)
const list = async () => (await api().call(listFindings, { alias: 'shop' })).items

async function run(alias = 'shop'): Promise<MaintenanceRun> {
  const { execution_id } = await api().call(startMaintenanceRun, { alias, mode: 'manual' })
  let latest: MaintenanceRun | undefined
  await until(async () => {
    latest = await api().call(readMaintenanceRun, { alias, execution_id })
    return latest.status === 'ended'
  })
  return latest!
}

async function writeLog(...texts: string[]): Promise<void> {
  const body = texts.map((text) => `${JSON.stringify({ level: 'error', text })}\n`).join('')
  await api().upload(ingestLogs, { alias: 'shop' }, new Blob([body]).stream(), { contentType: 'application/x-ndjson' })
}

/** Writes a line as the live deploy does. */
async function writeDeployLog(alias: string, text: string): Promise<void> {
  const deploy_id = (await api().call(readApp, { alias })).live_deploy!.id
  const body = new Blob([`${JSON.stringify({ level: 'error', text, deploy_id })}\n`]).stream()
  await api().upload(ingestLogs, { alias }, body, { contentType: 'application/x-ndjson' })
}

async function foundOnce(): Promise<string> {
  await writeLog('order 1 failed', 'order 2 failed', 'order 3 failed')
  const { fingerprint } = await run()
  return fingerprint!
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'no error',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  )
}

describe('MA-31 a finding', () => {
  it('says what it is, where to look, how old it is, and cites its lines without secrets', async () => {
    await writeLog('order 1 failed', 'order 2 failed', 'order 3 failed')
    const { fingerprint } = await run()
    const finding = await api().call(readFinding, { alias: 'shop', fingerprint: fingerprint!.slice(0, 8) })
    expect(finding).toMatchObject({
      fingerprint,
      kind: 'error_in_logs',
      state: 'open',
      summary: 'An error was logged 3 times: order <n> failed',
      explanation: 'The same error was logged at least three times in a day, without a stack trace into the source.',
      look_at: ['The lines before it in the log', 'Where the source writes this message'],
      seen_by_runs: 1,
      dismissed: null,
    })
    expect(finding.lines.map(({ text }) => text)).toEqual(['order 1 failed', 'order 2 failed', 'order 3 failed'])
    expect(finding.first_seen_at).toBe(finding.last_seen_at)
    await writeLog('login with password=hunter2secret failed', 'x failed', 'login with password=hunter2secret failed')
    await writeLog('login with password=hunter2secret failed')
    await run()
    expect(JSON.stringify(await list())).not.toContain('hunter2secret')
  })

  it('is closed when looks of a day and a half do not see it, and is reported as new when it comes back', async () => {
    const fingerprint = await foundOnce()
    const setBack = (hours: number) =>
      system.db.query(sql`
        update maintenance.findings set last_seen_at = last_seen_at - make_interval(hours => ${hours})
        where fingerprint = ${fingerprint} and app_id = (select id from apps.apps where org_id = ${admin.org_id})`)
    await setBack(35)
    expect(await list()).toMatchObject([{ fingerprint, state: 'open' }])
    await setBack(2)
    expect(await list()).toMatchObject([{ fingerprint, state: 'closed' }])
    expect(await run()).toMatchObject({ terminal_code: 'finding_recorded', fingerprint })
    expect(await list()).toMatchObject([{ fingerprint, state: 'open', seen_by_runs: 2 }])
    expect(await run()).toMatchObject({ terminal_code: 'finding_repeat', fingerprint })
  })

  it('that the live revision has too is new once, also where its lines are still those of the former one', async () => {
    const { id: appId } = await api().call(readApp, { alias: 'shop' })
    const place = { appId, runId: 'exe_1', at: new Date() }
    const of = (...revisions: string[]) => ({
      kind: 'error_in_logs' as const,
      path: null,
      symbol: null,
      template: 'order # failed',
      summary: 'An order failed.',
      fingerprint: 'f1',
      lines: revisions.map((revision_id) => ({ at: place.at.toISOString(), text: 'order 1 failed', revision_id })),
    })
    const isNew = async (live: string, found: ReturnType<typeof of>) =>
      (await system.db.tx((tx) => recordAll(tx, { ...place, live }, [found])))[0]!.isNew
    expect(await isNew('rev_1', of('rev_1'))).toBe(true)
    expect(await isNew('rev_2', of())).toBe(true)
    expect(await isNew('rev_2', of())).toBe(false)
    expect(await isNew('rev_2', of('rev_2'))).toBe(false)
    expect(await isNew('rev_3', of('rev_2'))).toBe(false)
  })

  it('of a revision that was rolled back is closed at once and names it, and runs do not report it again', async () => {
    const app = await makeLiveApp(system, admin, { alias: 'cart', files: { 'server.js': 'good()' } })
    await api().call(changeAppMaintenance, { alias: 'cart', enabled: true })
    const broken = await uploadFiles(system, admin, { alias: 'cart', files: { 'server.js': 'broken()' } })
    await makeLive(system, { id: app.id, revisionId: broken })
    const error = 'TypeError: total is not a function\n    at pay (/app/server.js:3:1)'
    await writeDeployLog('cart', error)
    const found = await run('cart')
    expect(found).toMatchObject({ terminal_code: 'finding_recorded', exit_code: 11 })
    await makeLive(system, app)
    const cart = async () => (await api().call(listFindings, { alias: 'cart' })).items
    expect(await cart()).toMatchObject([
      {
        state: 'closed',
        former_revision_id: broken,
        explanation: `Its lines are of revision ${broken}, which is no longer live, so the finding is closed. It is reported as new if the live revision logs it too.`,
        lines: [{ revision_id: broken }],
      },
    ])
    expect(await run('cart')).toMatchObject({ terminal_code: 'found_nothing', exit_code: 0, fingerprint: null })
    await writeDeployLog('cart', error)
    expect(await run('cart')).toMatchObject({ terminal_code: 'finding_recorded', fingerprint: found.fingerprint })
    expect(await cart()).toMatchObject([{ state: 'open', former_revision_id: null }])
  })

  it('that is dismissed stays quiet, with the reason, until the dismissal is taken back', async () => {
    const fingerprint = await foundOnce()
    const dismissed = await api().call(dismissFinding, { alias: 'shop', fingerprint, reason: ' A test order. ' })
    expect(dismissed).toMatchObject({
      state: 'dismissed',
      dismissed: { by: admin.user_id, reason: 'A test order.' },
    })
    expect(await run()).toMatchObject({
      outcome: 'found_nothing',
      exit_code: 0,
      fingerprint: null,
      summary: 'A dismissed finding was seen again and not reported.',
    })
    expect(await list()).toMatchObject([{ fingerprint, state: 'dismissed', seen_by_runs: 2 }])
    await writeLog('mail 1 was lost', 'mail 2 was lost', 'mail 3 was lost')
    expect(await run()).toMatchObject({
      outcome: 'finding_recorded',
      summary: 'An error was logged 3 times: mail <n> was lost',
    })
    const reopened = await api().call(reopenFinding, { alias: 'shop', fingerprint })
    expect(reopened).toMatchObject({ state: 'open', dismissed: null })
    const audit = await system.db.query(sql`
      select action, detail ->> 'reason' as reason from svc.audit where target = ${fingerprint} and org_id = ${admin.org_id}
      order by id`)
    expect(audit).toEqual([
      { action: 'finding.dismissed', reason: 'A test order.' },
      { action: 'finding.reopened', reason: null },
    ])
  })

  it('is dismissed only by owners and admins, with a reason, and by a beginning that names one', async () => {
    const fingerprint = await foundOnce()
    const developer = await system.member('developer', admin.org_id)
    const dismissal = { alias: 'shop', fingerprint, reason: 'known' }
    expect(await codeOf(api(developer.token).call(dismissFinding, dismissal))).toBe('FORBIDDEN')
    expect(await codeOf(api().call(dismissFinding, { ...dismissal, reason: '  ' }))).toBe('INVALID_REQUEST')
    expect(await codeOf(api().call(dismissFinding, { ...dismissal, fingerprint: 'a%' }))).toBe('INVALID_REQUEST')
    const unknown = fingerprint.startsWith('0') ? '1'.repeat(64) : '0'.repeat(64)
    expect(await codeOf(api().call(dismissFinding, { ...dismissal, fingerprint: unknown }))).toBe('NOT_FOUND')
    await system.db.query(sql`
      insert into maintenance.findings
        (app_id, fingerprint, kind, template, summary, first_run_id, first_seen_at, last_seen_at, count)
      select id, ${`${fingerprint.slice(0, 8)}${'0'.repeat(56)}`}, 'defect', '', 'Other', 'exe_1', now(), now(), 1
      from apps.apps where org_id = ${admin.org_id}`)
    const beginning = { ...dismissal, fingerprint: fingerprint.slice(0, 8) }
    expect(await codeOf(api().call(dismissFinding, beginning))).toBe('INVALID_REQUEST')
    const other = await system.member('admin')
    expect(await codeOf(api(other.token).call(readFinding, { alias: 'shop', fingerprint }))).toBe('NOT_FOUND')
  })
})
