import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import type { Role } from '#contract/core/roles.ts'
import { reportLogs } from '#contract/workers.ts'
import { callTool } from '#test/agents/mcp.ts'
import { type LiveApp, makeLive, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { proposeEdits } from '#test/apps/propose.ts'
import { connectAgent } from '#test/browser/console-agent.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { needs, stores } from '#test/stores.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'

type Member = Awaited<ReturnType<ConsoleVisits['system']['member']>>

const EDIT = { path: 'server.js', old_text: 'items[0].price', new_text: 'items[0]?.price' }
const ORDER = {
  type: 'object',
  properties: {
    wine: { type: 'string', description: 'Its name' },
    bottles: { type: 'integer', minimum: 1, maximum: 12 },
    size: { enum: ['bottle', 'magnum'], default: 'bottle' },
    is_gift: { type: 'boolean' },
    for: { type: 'array', items: { type: 'string' } },
  },
  required: ['wine', 'bottles'],
}
const EVERYONE = [
  'Home',
  'Inbox',
  'Data sources',
  'Activity',
  'Connected agents',
  'Functions',
  'Apps',
  'Profile settings',
  'API tokens',
  'Guides',
  'API documentation',
]

// Mails are kept on the machine with the embedded database only.
const MAILBOX = stores.postgres === undefined ? ['Local mailbox'] : []

needs('chromium')('what each role does in the console', () => {
  let visits: ConsoleVisits
  let admin: Member
  let shop: LiveApp
  beforeAll(async () => {
    visits = await startConsoleVisits({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
    admin = await visits.system.member('admin')
    shop = await makeLiveApp(visits.system, admin, { alias: 'shop', files: { 'server.js': 'total(items[0].price)\n' } })
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const inOrg = (role: Role, path: string, options = {}) =>
    visits.visit(role, path, { orgId: admin.org_id, ...options })

  it('CO-06 the navigation has what the role opens, and first steps what it can do', async () => {
    const forDevelopers = ['Changes', 'Databases']
    const expected: [Role, string[], string[]][] = [
      ['viewer', [], ['Ask a question', 'Connect an agent']],
      ['developer', forDevelopers, ['Ask a question', 'Connect an agent']],
      ['admin', [...forDevelopers, 'Organization settings'], ['Ask a question', 'Connect an agent']],
      [
        'owner',
        [...forDevelopers, 'Organization settings', ...MAILBOX],
        ['Ask a question', 'Connect an agent', 'Invite a colleague'],
      ],
    ]
    for (const [role, more, steps] of expected) {
      const { page } = await visits.visit(role, '/')
      const guide = page.getByRole('region', { name: 'First steps' })
      await guide.waitFor()
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
      for (const name of more) await links.filter({ hasText: name }).waitFor()
      expect([role, (await links.allInnerTexts()).toSorted()]).toEqual([role, [...EVERYONE, ...more].toSorted()])
      expect([role, await guide.getByRole('heading', { level: 3 }).allInnerTexts()]).toEqual([role, steps])
      await guide.getByRole('button', { name: 'Hide first steps' }).click()
      await guide.waitFor({ state: 'detached' })
      await page.context().close()
    }
  })

  it('CO-03 a developer runs a pipeline, reads its log and its failure, and disables it', async () => {
    const client = visits.system.client(admin.token)
    await using worker = await connectRawWorker(client, 'shop', {
      pipelines: [{ name: 'nightly', description: 'Prints the prices', schedule: '0 3 * * *' }],
    })
    const { page, faults, axe } = await inOrg('developer', '/apps/shop/pipelines')
    await page.getByRole('row', { name: /nightly.*Not run yet.*connected/ }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('link', { name: 'nightly' }).click()
    await page.getByRole('button', { name: 'Run pipeline' }).click()
    await page.getByText('Started nightly.').waitFor()
    const { call_id, fence } = await worker.nextCall()
    const to = { alias: 'shop', worker_id: worker.worker_id, call_id, fence }
    const at = new Date().toISOString()
    await client.call(reportLogs, { ...to, lines: [{ at, level: 'warn', text: 'the paper is nearly gone' }] })
    await worker.report({ call_id, fence, error: 'out of paper' })
    await page.getByRole('row', { name: /Failed.*out of paper/ }).waitFor()
    await page.getByRole('button', { name: /Show log/ }).click()
    await page.getByText('warn the paper is nearly gone').waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Disable pipeline' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable pipeline' }).click()
    await page.getByText('Disabled nightly.').waitFor()
    await page.getByRole('button', { name: 'Enable pipeline' }).waitFor()
    expect(faults).toEqual([])
  })

  it('CO-03 an admin gives a viewer a part, who then builds the app but gives no parts, and takes it away', async () => {
    const person = await visits.system.member('viewer', admin.org_id)
    const owner = await inOrg('admin', '/apps/shop/people', { person: admin })
    await owner.page.getByRole('row', { name: /administrator/i }).waitFor()
    await owner.page.getByRole('button', { name: 'Add person' }).click()
    const dialog = owner.page.getByRole('dialog')
    await dialog.getByLabel('Person').selectOption({ label: person.email })
    await dialog.getByLabel('Part').selectOption('builder')
    await dialog.getByRole('button', { name: 'Add person' }).click()
    await owner.page.getByText('is now builder.').waitFor()
    expect(await owner.axe()).toEqual([])

    const builder = await inOrg('viewer', '/apps/shop/people', { person })
    await builder.page.getByRole('row', { name: /Pat viewer\s+builder/ }).waitFor()
    expect(await builder.page.getByRole('button', { name: /Add person|Remove/ }).count()).toBe(0)
    expect(await tabsOf(builder.page)).toContain('Deploys')

    await owner.page.reload()
    await owner.page.getByRole('button', { name: 'Remove Pat viewer' }).click()
    await dialog.getByRole('button', { name: 'Remove person' }).click()
    await owner.page.getByText('has no part in shop any more.').waitFor()
    await builder.page.reload()
    await builder.page.getByRole('heading', { name: 'You cannot open this page', exact: true }).waitFor()
    expect(await tabsOf(builder.page)).toEqual(['Tickets', 'Maintenance'])
    expect([owner.faults, builder.faults.filter((fault) => !fault.includes('403'))]).toEqual([[], []])
  })

  it('CO-03 an owner checks a superseded change again and denies it', async () => {
    await proposeEdits(visits.system, {
      org_id: admin.org_id,
      alias: 'shop',
      requestedBy: null,
      edits: [EDIT],
    })
    const files = { 'server.js': '// newer\ntotal(items[0].price)\n' }
    const revisionId = await uploadFiles(visits.system, admin, { alias: 'shop', files })
    await makeLive(visits.system, { id: shop.id, revisionId })
    const { page, faults, axe } = await inOrg('owner', '/changes?status=any')
    await page.getByRole('link', { name: 'The answer is wrong' }).click()
    await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor()
    expect(await page.locator('.change-head .chip').innerText()).toContain('Superseded')
    expect(await page.locator('.decision').getByRole('button').allInnerTexts()).toEqual(['Check change again'])
    await page.getByRole('button', { name: 'Check change again' }).click()
    await page.locator('.chip', { hasText: 'Waiting for a decision' }).waitFor()
    await page.getByText('// newer').waitFor()
    await page.getByRole('button', { name: 'Deny change' }).click()
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Deny change' }).click()
    await page.getByText('Denied by you').waitFor()
    expect(await page.locator('.decision').getByRole('button').count()).toBe(0)
    expect(await axe()).toEqual([])
    expect(faults).toEqual([])
  })

  it('CO-02 a member calls a function and sees the call in Activity, a viewer reads its schema only', async () => {
    await visits.system.client(admin.token).call(createApp, { alias: 'desk' })
    const input_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    await using worker = await connectRawWorker(visits.system.client(admin.token), 'desk', {
      functions: [{ name: 'greet', description: 'Greets a person', input_schema }],
    })
    const member = await inOrg('member', '/functions')
    await member.page.getByRole('row', { name: /desk\/greet.*Connected/ }).waitFor()
    await member.page.getByRole('button', { name: 'Call desk/greet' }).click()
    const dialog = member.page.getByRole('dialog')
    await dialog.getByLabel('Arguments as JSON').fill('{"name": "Ada"}')
    await dialog.getByRole('button', { name: 'Call function' }).click()
    const { call_id, fence, input } = await worker.nextCall()
    expect(input).toEqual({ name: 'Ada' })
    await worker.report({ call_id, fence, output: { text: 'Hello Ada' } })
    await dialog.getByText('"text": "Hello Ada"').waitFor()
    expect(await member.axe()).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await member.page.getByRole('link', { name: 'Activity' }).click()
    await member.page.getByRole('row', { name: /desk\/greet\s+Pat member/ }).waitFor()

    const viewer = await inOrg('viewer', '/functions')
    await viewer.page.getByRole('button', { name: 'Show desk/greet' }).click()
    await viewer.page.getByText('Members and above can call functions.').waitFor()
    expect(await viewer.page.getByRole('button', { name: 'Call function' }).count()).toBe(0)
    expect([member.faults, viewer.faults]).toEqual([[], []])
  })

  it('CO-12 a call sends the JSON that the form makes, and a fault of an argument is at its field', async () => {
    const client = visits.system.client(admin.token)
    await client.call(createApp, { alias: 'cellar' })
    const hostile = { type: 'object', properties: { ['x'.repeat(900)]: { type: 'string' } } }
    await using worker = await connectRawWorker(client, 'cellar', {
      functions: [
        { name: 'order', description: 'Orders bottles', input_schema: ORDER },
        { name: 'odd', description: 'Has a long name', input_schema: hostile },
      ],
    })
    const { page, faults, axe } = await inOrg('member', '/functions?call=cellar%2Forder')
    const dialog = page.getByRole('dialog')
    const json = dialog.getByLabel('Arguments as JSON')
    const sent = async () => JSON.parse(await json.inputValue())
    await dialog.getByLabel('wine').fill('Rioja')
    await dialog.getByLabel('bottles').fill('soon')
    await dialog.getByText('Must be a number, not soon').waitFor()
    expect(await sent()).toEqual({ wine: 'Rioja' })
    await dialog.getByRole('button', { name: 'Call function' }).click()
    await dialog.getByText('Correct bottles first.').waitFor()
    await dialog.getByLabel('bottles').fill('90')
    await dialog.getByLabel('size').selectOption('magnum')
    await dialog.getByLabel('is_gift').selectOption('true')
    expect(await axe()).toEqual([])
    await dialog.getByRole('button', { name: 'Call function' }).click()
    await dialog.getByText('must be at most 12', { exact: true }).waitFor()
    await json.fill('{"wine": "Rioja", "bottles": 6, "for": ["Ada"]}')
    expect(await dialog.getByLabel('bottles').inputValue()).toBe('6')
    expect(await dialog.getByLabel('size').inputValue()).toBe('')
    await dialog.getByRole('button', { name: 'Call function' }).click()
    const { call_id, fence, input } = await worker.nextCall()
    expect(input).toEqual(await sent())
    await worker.report({ call_id, fence, output: 'ordered' })
    await dialog.getByText('"ordered"').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Call cellar/odd' }).click()
    expect(await dialog.getByRole('textbox').count()).toBe(1)
    expect(await axe()).toEqual([])
    // The browser reports the refusal as a failed request.
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([])
  })

  it('AU-10 an admin revokes the agent of a colleague, who cannot see the agents of others', async () => {
    const developer = await inOrg('developer', '/mcp/agents')
    const accessToken = await connectAgent(visits.system.url, developer, 'Night agent')
    const list = () => callTool(`${visits.system.url}/mcp/platform`, accessToken, 'data_sources_list', {})
    expect((await list()).status).toBe(200)
    await developer.page.reload()
    await developer.page.getByRole('row', { name: /Night agent/ }).waitFor()
    expect(await developer.page.getByRole('heading', { name: 'Of the organization', exact: true }).count()).toBe(0)

    const { page, faults, axe } = await inOrg('admin', '/mcp/agents', { person: admin })
    await page.getByRole('button', { name: `Revoke Night agent of ${developer.email}` }).click()
    expect(await axe()).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke agent' }).click()
    await page.getByText(`Revoked Night agent of ${developer.email}.`).waitFor()
    expect((await list()).status).toBe(401)
    expect(faults).toEqual([])
  })
})

async function tabsOf(page: Page): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Parts of shop' }).getByRole('link').allInnerTexts()
}
