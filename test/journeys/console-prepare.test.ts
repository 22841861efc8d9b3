import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, readConnection } from '#contract/databases.ts'
import { type ConsoleVisits, startConsoleVisits, type Visit } from '#test/browser/console-visit.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { runIn } from '#test/sources/configured-source.ts'
import { needs } from '#test/stores.ts'

const TABLES = `
  create table articles (id text primary key, title text, category text, author_email text, embedding vector(384));
  insert into articles values ('sick', 'Sick days', 'leave', 'a@example.com', array_fill(0.1, array[384])::vector),
    ('cars', 'Cars', 'travel', 'b@example.com', array_fill(0.1, array[384])::vector), ('none', 'Empty', 'leave', '', null);
  create table plain (id int)`

needs('chromium')('a table and its search in the console', () => {
  let visits: ConsoleVisits
  let admin: Visit
  beforeAll(async () => {
    visits = await startConsoleVisits()
    admin = await visits.visit('admin', '/', { staysOpen: true })
    const client = visits.system.client(admin.token)
    for (const name of ['docs', 'empty']) await client.call(createDatabase, { name })
    await runIn((await client.call(readConnection, { name: 'docs' })).connection_string, TABLES)
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('CO-07 a table becomes an answer by one pasted command and at most 12 presses, without typing JSON', async () => {
    const { page, axe, presses, token } = admin
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    presses()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Databases' }).click()
    await page.getByRole('link', { name: 'docs' }).click()
    await page.getByText('2 of 3 filled').waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('link', { name: 'Prepare search of public.articles' }).click()
    await page.getByText('svc db embed docs --table public.articles --text title,category').waitFor()
    await page.getByRole('button', { name: 'Enable source' }).click()
    await page.getByText('Fits the database').waitFor()
    await page.getByText('create index concurrently on "public"."articles"').waitFor()
    expect(await page.getByLabel('author_email comes back').isChecked()).toBe(false)

    await page.getByLabel('Question').click()
    await page.getByLabel('Question').fill('sick')
    await page.getByRole('button', { name: 'Preview answer' }).click()
    await page.getByRole('heading', { level: 3, name: 'Sick days' }).waitFor()
    expect(await axe()).toEqual([])
    expect(await bytesOf(page)).toBeLessThanOrEqual(350_000)

    await page.getByRole('region', { name: 'Save' }).getByRole('button', { name: 'Copy' }).first().click()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).not.toContain(token)
    await paste(command, { SVC_API_URL: visits.system.url, SVC_API_KEY: token })
    await page.getByText('Saved. Choose who may ask it, then ask it a question.').waitFor()
    await page.getByRole('button', { name: 'Expose source' }).click()
    await page.getByText('docs is exposed.').waitFor()
    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    await page.getByLabel('Question').click()
    await page.getByLabel('Question').fill('sick')
    await page.getByRole('button', { name: 'Ask source' }).click()
    await page.getByRole('heading', { level: 3, name: 'Sick days' }).waitFor()
    expect(presses()).toBe(11)
    expect(admin.faults).toEqual([])
  })

  it('CO-07 a fault of the document stands at its place, and its command is withheld', async () => {
    const { page, axe } = admin
    await page.goto(`${visits.system.url}/databases/docs/prepare/public.articles`)
    await page.getByText('This is the saved configuration.').waitFor()
    await page.getByLabel('Label').fill('')
    await page.getByText('1 fault').waitFor()
    await page.getByText('must not be empty').nth(1).waitFor()
    await page.getByText('The command appears here once the check finds no fault.').waitFor()
    expect(await page.getByRole('button', { name: 'Preview answer' }).isDisabled()).toBe(true)
    expect(await axe()).toEqual([])
    await page.getByLabel('Label').fill('all')
    await page.getByText('Fits the database').waitFor()
    await page.getByText("svc api PUT /api/wf/data-sources/db_docs --data - <<'EOF'").waitFor()
    expect(admin.faults).toEqual([])
  })

  it('CO-07 an empty database, an unknown table and a phone in the dark are shown, a viewer is refused', async () => {
    const { page, axe } = admin
    await page.goto(`${visits.system.url}/databases/empty`)
    await page.getByRole('heading', { name: 'No tables yet' }).waitFor()
    expect(await axe()).toEqual([])
    await page.goto(`${visits.system.url}/databases/docs/prepare/public.none`)
    await page.getByText('No such table: public.none.').waitFor()
    expect(await axe()).toEqual([])
    const options = { orgId: admin.org_id, isPhone: true, isDark: true }
    const developer = await visits.visit('developer', '/databases/docs/prepare/public.articles', options)
    await developer.page.getByText('This is the saved configuration.').waitFor()
    expect(await developer.axe()).toEqual([])
    const width = await developer.page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(390)
    const viewer = await visits.visit('viewer', '/databases/docs', { orgId: admin.org_id })
    await viewer.page.getByRole('heading', { name: 'You cannot open this page' }).waitFor()
    expect(await viewer.axe()).toEqual([])
    expect(await viewer.page.getByText('articles').count()).toBe(0)
  })
})

/** Runs what was copied as a shell does: the words of its first line, with the here-document as standard input. */
async function paste(command: string, env: Record<string, string>): Promise<void> {
  const [first = '', ...lines] = command.split('\n')
  expect([first, lines.at(-1)]).toEqual(["svc api PUT /api/wf/data-sources/db_docs --data - <<'EOF'", 'EOF'])
  const words = first
    .replace(/ <<'EOF'$/, '')
    .split(' ')
    .slice(1)
  const { exit, stderr } = await runSvc(words, { env, stdin: lines.slice(0, -1).join('\n') })
  expect([exit, stderr]).toEqual([0, ''])
}

/** Everything that the page loaded but the answers of the API, as it was sent. */
async function bytesOf(page: Page): Promise<number> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.startsWith('/assets/'))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
  )
}
