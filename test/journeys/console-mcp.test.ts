import { afterAll, beforeAll, expect, it } from 'vitest'
import { configureSource } from '#contract/data-sources/search-config.ts'
import { readConnection } from '#contract/databases.ts'
import { runIn } from '#test/configured-source.ts'
import { type ConsoleVisits, startConsoleVisits, type Visit } from '#test/console-visit.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '#test/fake-embeddings.ts'
import { ARTICLES, fakeConfiguration } from '#test/sources.ts'
import { needs } from '#test/stores.ts'

needs('chromium')('databases and data sources in the console', () => {
  let fake: FakeEmbeddings
  let visits: ConsoleVisits
  let admin: Visit

  beforeAll(async () => {
    fake = await startFakeEmbeddings()
    visits = await startConsoleVisits({ env: { SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) } })
    admin = await visits.visit('admin', '/databases')
  })
  afterAll(async () => {
    await visits?.[Symbol.asyncDispose]()
    await fake?.[Symbol.asyncDispose]()
  })

  it('CO-02 an admin creates a database and sees its connection string on request', async () => {
    const { page, axe } = admin
    await page.getByRole('heading', { name: 'No databases yet' }).waitFor()
    await page.getByRole('button', { name: 'Create database' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Docs')
    await dialog.getByRole('button', { name: 'Create database' }).click()
    await dialog.getByText('must be a lower-case letter').waitFor()
    await dialog.getByLabel('Name').fill('docs')
    await dialog.getByRole('button', { name: 'Create database' }).click()
    await page.getByText('Created docs.').waitFor()
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

  it('CO-02 an admin enables a database, configures it by the command, and exposes it', async () => {
    const { page, token, axe } = admin
    await page.getByRole('link', { name: 'Data sources' }).click()
    await page.getByRole('button', { name: 'Enable database as source' }).click()
    await page.getByRole('dialog').getByLabel('Description').fill('How we work')
    await page.getByRole('button', { name: 'Enable source' }).click()
    await page.getByRole('heading', { name: 'No search configuration yet' }).waitFor()
    await page.getByText(`curl -X PUT ${visits.system.url}/api/wf/data-sources/db_docs`).waitFor()
    await saveConfiguration(token)
    await page.reload()
    await page.getByText('"label": "articles"').first().waitFor()
    expect(await axe()).toEqual([])

    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    await page.getByRole('heading', { name: 'Not exposed yet' }).waitFor()
    await page.getByRole('link', { name: 'Exposure' }).first().click()
    await page.getByText('does not protect the database itself').waitFor()
    expect(await page.getByRole('radio').count()).toBe(4)
    await page.getByLabel('viewer').check()
    await page.getByRole('button', { name: 'Expose source' }).click()
    await page.getByText('docs is exposed. Everyone in the organization can ask it.').waitFor()
    expect(await axe()).toEqual([])
    expect(admin.faults).toEqual([])
  })

  async function saveConfiguration(token: string): Promise<void> {
    const client = visits.system.client(token)
    const { connection_string } = await client.call(readConnection, { name: 'docs' })
    await runIn(connection_string, ARTICLES)
    await client.call(configureSource, fakeConfiguration('db_docs', 'articles'))
  }
})
