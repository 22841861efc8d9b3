import { readFile } from 'node:fs/promises'
import { request as send } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { listDeploys, readDeploy, startDeploy } from '#contract/apps/deploys.ts'
import { ingestLogs } from '#contract/apps/logs.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import { readSeries } from '#contract/apps/series.ts'
import { sql } from '#lib/db/sql.ts'
import { makeLive, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { proposeChange } from '#test/apps/proposed-change.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { appPortOf } from '#test/door/app-port.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import { DEPLOYS_CHANNEL } from '../../src/server/areas/apps/deploys/store.ts'
import type { StoredProof } from '../../src/server/areas/maintenance/proposals/validate/stored-proof.ts'

/** An app that stays up, because a live one that crashes again and again is taken down. */
const serverThat = (answer: string) => ({
  'server.js': `const { createServer } = require('node:http')
createServer((_, response) => response.end('${answer}')).listen(process.env.PORT, '127.0.0.1')
`,
})
const BROKEN = serverThat('broken')
const FIXED = serverThat('fixed')
const PROOF: StoredProof = {
  outcome: 'proven',
  reason: null,
  test: 'server.test.js',
  before: { runs: ['failed', 'failed', 'failed'], output: 'AssertionError: broken' },
  after: { runs: ['passed', 'passed', 'passed'], output: '' },
}
const SUMMARY = 'Unknown items crash the request'

/** Fails at one path. */
const COUNTED = {
  'server.js': `const { createServer } = require('node:http')
createServer((request, response) => {
  response.statusCode = request.url === '/bad' ? 500 : 200
  response.end('well')
}).listen(process.env.PORT, '127.0.0.1')
`,
}

/** Ends while it starts, and says why in more lines than are shown, with markup and what cannot be seen. */
const CRASHING = {
  'server.js': `for (let n = 1; n < 13; n++) console.error('<b>KEY ' + n + '</b> is\\u202e missing')
console.error('x'.repeat(1000))
process.exit(3)
`,
}

type Member = Awaited<ReturnType<ConsoleVisits['system']['member']>>

needs('chromium')('apps in the console', () => {
  let visits: ConsoleVisits
  let admin: Member
  beforeAll(async () => {
    visits = await startConsoleVisits({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
    admin = await visits.system.member('admin')
    await makeLiveApp(visits.system, admin, { alias: 'shop', files: BROKEN })
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const inOrg = (role: Parameters<ConsoleVisits['visit']>[0], path: string, options = {}) =>
    visits.visit(role, path, { orgId: admin.org_id, ...options })

  it('CO-03 a viewer without a part files a ticket and reads the public reply only', async () => {
    const viewer = await inOrg('viewer', '/apps/shop/tickets')
    await viewer.page.getByRole('button', { name: 'File ticket' }).click()
    await viewer.page.getByLabel('Title').fill('The price of cocoa is missing')
    await viewer.page.getByLabel('What happened').fill('It said 500.')
    await viewer.page.getByRole('dialog').getByRole('button', { name: 'File ticket' }).click()
    await viewer.page.getByRole('heading', { name: 'The price of cocoa is missing', exact: true }).waitFor()
    const developer = await inOrg('developer', new URL(viewer.page.url()).pathname)
    await reply(developer.page, 'The table of prices is hard-coded', true)
    await reply(developer.page, 'Cocoa comes tomorrow', false)
    await developer.page.getByLabel('Move ticket to').selectOption('done')
    await developer.page.getByText('Moved the ticket.').waitFor()
    await viewer.page.reload()
    await viewer.page.getByText('Cocoa comes tomorrow').waitFor()
    expect(await viewer.page.getByText('hard-coded').count()).toBe(0)
    expect(await viewer.page.getByLabel(/Internal/).count()).toBe(0)
    expect(await viewer.page.locator('.chip').first().innerText()).toContain('Done')
    expect([await viewer.axe(), await developer.axe()]).toEqual([[], []])
    expect([viewer.faults, developer.faults]).toEqual([[], []])
  })

  it('CO-03 the log is followed live and searched by filters that are in the address', async () => {
    const { page, faults, axe } = await inOrg('developer', '/apps/shop/logs')
    await page.getByRole('button', { name: 'Follow live' }).click()
    await page.getByText('Following').waitFor()
    await write('warn', 'the till is nearly empty')
    await page.getByText('the till is nearly empty').waitFor()
    await write('error', 'the till is empty')
    await page.getByText('the till is empty', { exact: true }).waitFor()
    expect(await axe()).toEqual([])
    await page.goto(`${visits.system.url}/apps/shop/logs?text=till&level=error`)
    await page.getByText('the till is empty', { exact: true }).waitFor()
    expect(await page.getByText('nearly').count()).toBe(0)
    expect(await page.getByLabel('Level').inputValue()).toBe('error')
    await page.getByLabel('Time').selectOption('1h')
    await page.waitForURL(/within=1h/)
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })

  it('CO-09 lines are counted over time, a field is searched with a click, a line has an address and a file its lines', async () => {
    await write('info', '{"level":"info","msg":"paid","order":7}')
    await write('info', '{"level":"info","msg":"paid","order":8}')
    const { page, faults, axe } = await inOrg('developer', '/apps/shop/logs?within=1h')
    await page.getByRole('figure', { name: 'How many lines, and how bad?' }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'paid order=7' }).click()
    expect(await axe()).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: '7', exact: true }).click()
    await page.waitForURL(/text=/)
    await page.getByRole('button', { name: 'paid order=8' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'paid order=7' }).click()
    await page.getByRole('link', { name: 'Lines around this one' }).click()
    await page.getByRole('button', { name: 'paid order=8' }).waitFor()
    await page.reload()
    expect(await page.locator('.log-line[aria-current=true]').innerText()).toContain('paid order=7')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const file = await readFile(await (await download).path(), 'utf8')
    expect(file).toMatch(/Z info ingest \{"level":"info","msg":"paid","order":7\}\n/)
    expect(faults).toEqual([])
  })

  it('CO-09 what an app hides or reorders in a field is shown as codes, and a deeply nested line harms no page', async () => {
    await write('info', String.raw`{"msg":"hidden","us\u200ber":"\u202egnp.exe"}`)
    await write('info', `{"msg":"deep","list":${'['.repeat(8_000)}${']'.repeat(8_000)}}`)
    const { page, faults } = await inOrg('developer', '/apps/shop/logs?within=1h')
    await page.getByRole('button', { name: 'deep' }).waitFor()
    await page.getByRole('button', { name: 'hidden' }).click()
    const fields = page.getByRole('dialog').locator('.log-fields')
    expect(await fields.innerText()).toMatch(/us‹U\+200B›er\s+‹U\+202E›gnp.exe/)
    expect(await fields.getByRole('button').getAttribute('title')).toBe('Only lines with us‹U+200B›er ‹U+202E›gnp.exe')
    expect(faults).toEqual([])
  })

  it('CO-11 an app shows the requests that visitors made, as the operation answers them, and says when there were none', async () => {
    const client = visits.system.client(admin.token)
    const { url } = await client.call(createApp, { alias: 'stall', settings: { start_command: 'node server.js' } })
    const { page, faults, axe } = await inOrg('developer', '/apps/stall')
    await page.getByText('Nothing was counted in the last 24 hours. No revision of the app is live.').waitFor()
    expect(await axe()).toEqual([])
    const message = 'Open the stall'
    const revision_id = await uploadFiles(visits.system, admin, { alias: 'stall', files: COUNTED, message })
    await client.call(startDeploy, { alias: 'stall', revision_id })
    await until(async () => (await client.call(listDeploys, { alias: 'stall' })).items[0]?.state === 'live')
    const host = new URL(url!).hostname
    const port = await appPortOf(visits.system.url, host)
    for (const path of ['/', '/', '/bad', '/']) await visit(port, host, path)
    const series = await until(async () => {
      const { items } = await client.call(readSeries, { alias: 'stall' })
      return items.reduce((sum, { requests }) => sum + (requests ?? 0), 0) >= 4 && items
    })
    await page.goto(`${visits.system.url}/apps/stall?within=1h`)
    await page.getByText(/^\d+ requests, \d+ failed .* in the last hour\.$/).waitFor()
    await page.getByRole('link', { name: message }).first().waitFor()
    expect(await axe()).toEqual([])
    const chart = page.getByRole('figure', { name: 'How many requests fail?' })
    await chart.getByRole('button', { name: /^Table/ }).click()
    const rows = await chart.locator('tbody tr').allInnerTexts()
    const numbers = rows.map((row) => row.split('\t').slice(1).join(' '))
    for (const { requests, failed } of series.filter((item) => item.requests !== null && item.requests > 0))
      expect(numbers).toContain(`${failed} ${requests! - failed!}`)
    await page.getByLabel('Time of the charts').selectOption('14d')
    await page.waitForURL(/within=14d/)
    await page.getByText(/in the last 14 days\.$/).waitFor()
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })

  it('CO-03 a deploy that failed says why once, with the last lines that the app wrote to stderr, as text', async () => {
    const client = visits.system.client(admin.token)
    await client.call(createApp, { alias: 'broken', settings: { start_command: 'node server.js' } })
    const revision_id = await uploadFiles(visits.system, admin, { alias: 'broken', files: CRASHING })
    const { id } = await client.call(startDeploy, { alias: 'broken', revision_id })
    const { page, faults, axe } = await inOrg('developer', `/apps/broken/deploys/${id}`)
    await page.getByText('The app did not start. The app ended while starting: exit code 3.').waitFor()
    const lines = await page.getByRole('region', { name: 'Last lines of the app' }).locator('pre').innerText()
    const stderrLines = [4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `<b>KEY ${n}</b> is\ufffd missing`)
    expect(lines.split('\n')).toEqual([...stderrLines, `${'x'.repeat(300)}…`])
    const progress = await page.getByRole('region', { name: 'Progress of the deploy' }).innerText()
    expect(progress.match(/The app ended while starting/g)).toHaveLength(1)
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })

  it('CO-03 the reason why a deploy failed is one press away from Home', async () => {
    const person = await visits.system.member('admin')
    const client = visits.system.client(person.token)
    await client.call(createApp, { alias: 'broken', settings: { start_command: 'node server.js' } })
    const revision_id = await uploadFiles(visits.system, person, { alias: 'broken', files: CRASHING })
    const { id } = await client.call(startDeploy, { alias: 'broken', revision_id })
    await until(async () => (await client.call(readDeploy, { alias: 'broken', deploy_id: id })).state === 'failed')
    const { page, presses, faults } = await visits.visit('admin', '/', { person })
    // All of the page is there, so that the press does not meet a link that moves.
    await page.getByText('Nobody asked a data source in the last seven days.').waitFor()
    await page.getByRole('region', { name: 'Needs you' }).getByRole('link', { name: 'broken', exact: true }).click()
    await page.getByText('The app did not start. The app ended while starting: exit code 3.').waitFor()
    expect(presses()).toBe(1)
    expect(faults).toEqual([])
  })

  it('CO-03 a roll back is confirmed and its deploy is followed to its end', async () => {
    const kiosk = { alias: 'kiosk', files: BROKEN, message: 'Open the kiosk' }
    const { id } = await makeLiveApp(visits.system, admin, kiosk)
    const revisionId = await uploadFiles(visits.system, admin, { alias: 'kiosk', files: FIXED })
    await makeLive(visits.system, { id, revisionId })
    const { page, faults, axe } = await inOrg('developer', '/apps/kiosk/deploys')
    await page.getByRole('button', { name: 'Roll back to Open the kiosk' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back app' }).click()
    const latest = page.getByRole('row').nth(1)
    await latest.getByRole('link', { name: 'Rolled back to Open the kiosk' }).waitFor()
    expect(await axe()).toEqual([])
    await failQueued(id)
    await latest.locator('.chip', { hasText: /Live|Failed/ }).waitFor()
    expect(faults).toEqual([])
  })

  it('CO-03 a change is refused to its requester and to a viewer, and approved by another admin in two taps', async () => {
    const till = await makeLiveApp(visits.system, admin, { alias: 'till', files: BROKEN })
    const { proposalId } = await proposeChange(visits.system, {
      app: till,
      person: admin,
      files: FIXED,
      summary: SUMMARY,
      requestedBy: admin.user_id,
      proof: PROOF,
    })
    const path = `/apps/till/changes/${proposalId}`
    const second = await visits.system.member('admin', admin.org_id)

    const requester = await inOrg('admin', path, { person: admin })
    await requester.page.getByText('so another owner or admin must approve it').waitFor()
    const proof = requester.page.locator('.proof')
    expect(await proof.locator('.chip').innerText()).toContain('Proven by a test')
    expect(await proof.locator('summary').allInnerTexts()).toEqual([
      'Live revision with the test failed, failed, failed',
      'With the change passed, passed, passed',
    ])
    expect(await proof.locator('pre').allInnerTexts()).toEqual(['AssertionError: broken', 'It wrote nothing.'])
    expect(await actsOf(requester.page)).toEqual(['Deny change'])
    await requester.page.getByRole('button', { name: 'Side by side' }).click()
    await requester.page.locator('.hunks.split .token.keyword').first().waitFor()
    expect(await requester.axe()).toEqual([])

    const builder = await visits.system.member('viewer', admin.org_id)
    await visits.system
      .client(admin.token)
      .call(setAppPerson, { alias: 'till', user_id: builder.user_id, part: 'builder' })
    const viewer = await inOrg('viewer', path, { person: builder })
    await viewer.page.getByText('Owners and admins decide about proposals. Your role is viewer.').waitFor()
    expect(await actsOf(viewer.page)).toEqual([])
    expect(await viewer.page.getByText("response.end('fixed')").count()).toBe(1)

    const phone = await inOrg('admin', path, { person: second, isPhone: true })
    let taps = 0
    const tap = async (name: string, scope: Pick<Page, 'getByRole'> = phone.page) => {
      await scope.getByRole('button', { name }).tap()
      taps++
    }
    await phone.page.getByText(SUMMARY).first().waitFor()
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(await phone.axe()).toEqual([])
    await tap('Approve and deploy')
    await phone.page.getByText('1 changed file').waitFor()
    await tap('Approve and deploy', phone.page.getByRole('dialog'))
    await phone.page.getByText('Approved by you').waitFor()
    await phone.page.getByRole('region', { name: 'Progress of the deploy' }).waitFor()
    expect(taps).toBeLessThan(6)
    const { items } = await visits.system.client(admin.token).call(listDeploys, { alias: 'till' })
    expect(items[0]).toMatchObject({ kind: 'proposal', requested_by: second.user_id })
    await requester.page.getByText('Approved by').waitFor()
    expect([requester.faults, viewer.faults, phone.faults]).toEqual([[], [], []])
  })

  it('CO-03 a viewer without a part in the app is told who can grant it', async () => {
    const { page } = await inOrg('viewer', '/apps/shop/deploys')
    await page.getByRole('heading', { name: 'You cannot open this page', exact: true }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Parts of shop' }).getByRole('link').allInnerTexts()).toEqual([
      'Tickets',
      'Maintenance',
    ])
  })

  const write = (level: string, text: string) =>
    visits.system
      .client(admin.token)
      .upload(ingestLogs, { alias: 'shop' }, new Blob([JSON.stringify({ level, text })]).stream(), {
        contentType: 'application/x-ndjson',
      })
  /** Ends a deploy that no host took. */
  const failQueued = (appId: string) =>
    visits.system.db.tx(async (tx) => {
      await tx.query(sql`
        update apps.deploys set state = 'failed', failure_code = 'BUILD_FAILED', ended_at = now()
        where app_id = ${appId} and state = 'queued'`)
      await tx.query(sql`select pg_notify(${DEPLOYS_CHANNEL}, ${appId})`)
    })
})

async function reply(page: Page, text: string, isInternal: boolean): Promise<void> {
  await page.getByLabel('Reply').fill(text)
  await page.getByLabel(/Internal/).setChecked(isInternal)
  await page.getByRole('button', { name: isInternal ? 'Write internal reply' : 'Send reply' }).click()
  await page.getByRole('article').getByText(text).waitFor()
  // The form is emptied after the reply is shown. A tick that is set before that would be taken back.
  await until(async () => (await page.getByLabel('Reply').inputValue()) === '')
}

function visit(port: number, host: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = send({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      response.resume().once('end', resolve)
    })
    asked.once('error', reject).end()
  })
}

async function actsOf(page: Page): Promise<string[]> {
  return page.locator('.decision').getByRole('button').allInnerTexts()
}
