import { afterAll, beforeAll, expect, it } from 'vitest'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { readConnection } from '#contract/databases.ts'
import { callTool } from '#test/agents/mcp.ts'
import { connectAgent } from '#test/browser/console-agent.ts'
import { type ConsoleVisits, startConsoleVisits, type Visit } from '#test/browser/console-visit.ts'
import { entry, runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'

const QUESTION = 'sick'
const ARTICLES = `
  create table articles (id text primary key, title text, category text, embedding vector(384));
  insert into articles
  select id, title, category, array_fill(0.1, array[384])::vector
  from (values ('sick', 'Sick days', 'leave'), ('cars', 'Cars', 'travel')) as articles (id, title, category)`

needs('chromium')('data sources, agents and databases in the console', () => {
  let visits: ConsoleVisits
  let admin: Visit

  beforeAll(async () => {
    visits = await startConsoleVisits()
    admin = await visits.visit('admin', '/databases', { staysOpen: true })
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('CO-02 an admin creates a database and sees its connection string on request', async () => {
    const { page, axe } = admin
    await page.getByRole('heading', { name: 'No databases yet', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Create database' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Docs')
    await dialog.getByRole('button', { name: 'Create database' }).click()
    await dialog.getByText('must be a lower-case letter').waitFor()
    // Browsers report every refused request as an error.
    expect(admin.faults.splice(0)).toEqual([expect.stringContaining('400')])
    await dialog.getByLabel('Name').fill('docs')
    await dialog.getByRole('button', { name: 'Create database' }).click()
    await page.getByText('Created docs.').waitFor()
    await page.getByRole('cell', { name: / MB$/ }).waitFor()
    await page.getByRole('button', { name: 'Connect to docs' }).click()
    expect(await page.content()).not.toContain('postgresql://')
    await page.getByRole('button', { name: 'Show connection string' }).click()
    await dialog.getByText('postgresql://').waitFor()
    expect(await axe()).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  it('CO-02 a database that is dropped must be named first', async () => {
    const { page } = admin
    await page.getByRole('button', { name: 'Create database' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('scratch')
    await page.getByRole('dialog').getByRole('button', { name: 'Create database' }).click()
    await page.getByRole('button', { name: 'Drop scratch' }).click()
    const drop = page.getByRole('dialog').getByRole('button', { name: 'Drop database' })
    expect(await drop.isDisabled()).toBe(true)
    await page.getByLabel('Type scratch to confirm').fill('scratch')
    await drop.click()
    await page.getByText('Dropped scratch.').waitFor()
  })

  it('CO-02 an admin enables a database, exposes it, asks it, and sees the question in Activity', async () => {
    const { page, token, axe } = admin
    await page.getByRole('link', { name: 'Data sources' }).click()
    await page.getByRole('button', { name: 'Enable database as source' }).click()
    await page.getByRole('dialog').getByLabel('Description').fill('How we work')
    await page.getByRole('button', { name: 'Enable source' }).click()
    await page.getByRole('heading', { name: 'No search configuration yet', exact: true }).waitFor()
    await page.getByText(`curl -X PUT ${visits.system.url}/api/wf/data-sources/db_docs`).waitFor()
    await saveConfiguration(token)
    await page.reload()
    await page.getByText('"label": "articles"').first().waitFor()
    expect(await axe()).toEqual([])

    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    await page.getByRole('heading', { name: 'Not exposed yet', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Exposure' }).first().click()
    await page.getByText('does not protect the database itself').waitFor()
    expect(await page.getByRole('radio').count()).toBe(4)
    await page.getByLabel('viewer').check()
    await page.getByRole('button', { name: 'Expose source' }).click()
    await page.getByText('docs is exposed. Everyone in the organization can ask it.').waitFor()
    expect(await axe()).toEqual([])

    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    await ask(admin)
    expect(await page.getByRole('heading', { level: 3 }).allInnerTexts()).toContain('Sick days')
    await page.getByText('The same request').click()
    await page.getByText(`svc datasource query db_docs ${QUESTION} --filter category=leave --top-k 10`).waitFor()
    expect(await axe()).toEqual([])

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('heading', { name: 'No function calls yet', exact: true }).waitFor()
    await page.getByLabel('Type').selectOption('Data sources')
    await page.getByRole('cell', { name: 'Pat admin' }).waitFor()
    expect(new URL(page.url()).search).toBe('?type=data_sources')
    expect(await page.getByRole('row').nth(1).innerText()).toMatch(/docs\s+Pat admin\s+✓?\s*Answered/)
    // The words of the API and of `svc`: mcp, cli, api.
    await page.getByRole('columnheader', { name: 'Source', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'api', exact: true }).waitFor()
    expect(await axe()).toEqual([])
    expect(admin.faults).toEqual([])
  })

  it('CO-02 a viewer on a phone asks the source, sees only their own question, and nothing to manage', async () => {
    const viewer = await visits.visit('viewer', '/mcp/sources', { orgId: admin.org_id, isPhone: true, isDark: true })
    const { page, faults, axe } = viewer
    await page.getByRole('link', { name: 'docs' }).click()
    await ask(viewer)
    expect(await page.getByRole('link', { name: 'Exposure' }).count()).toBe(0)
    await page.goto(`${visits.system.url}/mcp/activity?type=data_sources`)
    await page.getByRole('cell', { name: 'Pat viewer' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    expect(await axe()).toEqual([])
    await page.goto(`${visits.system.url}/databases`)
    await page.getByRole('heading', { name: 'You cannot open this page', exact: true }).waitFor()
    expect(faults.filter((fault) => !fault.includes('403'))).toEqual([])
  })

  it('CO-13 a link fills in a question with its filters, asks nothing, and no server sees it', async () => {
    const viewer = await visits.visit('viewer', '/mcp/sources/db_docs', { orgId: admin.org_id })
    await viewer.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await viewer.page.getByLabel('Question').fill('who & what\n#1?')
    await viewer.page.getByLabel('category', { exact: true }).fill('leave')
    await viewer.page.getByRole('button', { name: 'Copy link' }).click()
    await viewer.page.getByRole('button', { name: 'Copied' }).waitFor()
    const link = await viewer.page.evaluate(() => navigator.clipboard.readText())

    const addresses: string[] = []
    const { page, faults } = await visits.visit('viewer', '/', { person: viewer, isSignedOut: true })
    page.on('request', (request) => addresses.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.goto(link)
    await page.getByRole('link', { name: /Google/ }).click()
    await page.getByRole('button', { name: 'Ask source' }).waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe('who & what\n#1?')
    expect(await page.getByLabel('category', { exact: true }).inputValue()).toBe('leave')
    expect(addresses.filter((address) => /who|leave|\/query/.test(address.replace(/#.*/, '')))).toEqual([])
    expect(await page.getByRole('heading', { name: /hits?$/ }).count()).toBe(0)
    // The browser reports the 401 of the first look as a failed request.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([])
  })

  it('CO-14 the values of a filter are listed when asked for, and chosen with a click', async () => {
    const { page, faults, axe } = await visits.visit('viewer', '/mcp/sources/db_docs', { orgId: admin.org_id })
    await page.getByRole('button', { name: 'Show values of category' }).click()
    const values = page.getByRole('group', { name: 'Known values' })
    await values.getByRole('button', { name: 'travel' }).click()
    expect(await values.getByRole('button').allInnerTexts()).toEqual(['leave', 'travel'])
    expect(await page.getByLabel('category', { exact: true }).inputValue()).toBe('travel')
    expect(await axe()).toEqual([])
    await page.getByRole('navigation', { name: 'Parts of the source' }).getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('cell', { name: 'Pat viewer' }).waitFor()
    expect(faults).toEqual([])
  })

  it('AU-10 CO-02 a person connects an agent, and disconnects it on the page of their agents', async () => {
    const { page, axe } = admin
    const accessToken = await connectAgent(visits.system.url, admin, 'Desk agent')
    const platform = `${visits.system.url}/mcp/platform`
    const question = { id: 'db_docs', query: QUESTION, top_k: 1 }
    expect((await callTool(platform, accessToken, 'data_source_query', question)).status).toBe(200)
    await page.getByRole('link', { name: 'Connected agents' }).click()
    await page.getByText('Claude Code').click()
    await page.getByText(`claude mcp add --transport http svc ${platform}`).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Disconnect everywhere Desk agent' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect agent' }).click()
    await page.getByText('Disconnected Desk agent.').waitFor()
    await page.getByRole('heading', { name: 'No agent connected yet', exact: true }).waitFor()
    expect((await callTool(platform, accessToken, 'data_source_query', question)).status).toBe(401)
    expect(admin.faults).toEqual([])
  })

  async function saveConfiguration(token: string): Promise<void> {
    const client = visits.system.client(token)
    const { connection_string } = await client.call(readConnection, { name: 'docs' })
    await runIn(connection_string, ARTICLES)
    const connection_config = {
      embedding_configs: [entry({ label: 'articles', content_columns: 'id, title, category' })],
    }
    await client.call(configureSource, { id: 'db_docs', connection_config, filter_schema: { category: 'string' } })
  }

  async function ask({ page }: Visit): Promise<void> {
    await page.getByLabel('Question').fill(QUESTION)
    await page.getByLabel('category', { exact: true }).fill('leave')
    await page.getByRole('button', { name: 'Ask source' }).click()
    await page.getByRole('heading', { name: '1 hit', exact: true }).waitFor()
  }
})
