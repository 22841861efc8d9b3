import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp } from '#contract/apps/apps.ts'
import { type ConsoleVisits, startConsoleVisits } from '#test/browser/console-visit.ts'
import { needs } from '#test/stores.ts'

needs('chromium')('settings of the console', () => {
  let visits: ConsoleVisits
  beforeAll(async () => {
    visits = await startConsoleVisits()
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('CO-01 an owner invites a person, who accepts on a page and is a member then', async () => {
    const owner = await visits.visit('owner', '/settings/organization/members')
    await owner.page.getByRole('button', { name: 'Invite person' }).click()
    const invited = await visits.system.member('viewer')
    await owner.page.getByLabel('Email').fill(invited.email)
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Invite person' }).click()
    const link = await owner.page.getByRole('dialog').locator('code').innerText()
    expect(await owner.axe()).toEqual([])
    const guest = await visits.visit('viewer', new URL(link).pathname, { person: invited })
    await guest.page.getByRole('button', { name: /accept|join/i }).click()
    await owner.page.getByRole('button', { name: 'Done' }).click()
    await owner.page.reload()
    await owner.page.getByRole('cell', { name: invited.email }).first().waitFor()
    expect(owner.faults).toEqual([])
  })

  it('CO-04 an admin adds a channel and a subscription, sends a test, and sees it in the ledger', async () => {
    const { page, axe, faults, email } = await visits.visit('admin', '/settings/organization/integrations')
    await page.getByRole('button', { name: 'Add channel' }).click()
    await page.getByLabel('Address').fill(email)
    await page.getByRole('button', { name: 'Add address' }).click()
    await page.getByText(`Added ${email}.`).waitFor()
    await page.getByRole('button', { name: 'Add subscription' }).first().click()
    const type = page.getByLabel('Event type')
    // Free text: no list and no completion.
    expect([await type.getAttribute('list'), await type.getAttribute('autocomplete')]).toEqual([null, 'off'])
    await type.fill('deploy.nothing')
    await page.getByRole('dialog').getByRole('button', { name: 'Add subscription' }).click()
    await page
      .getByRole('dialog')
      .getByText(/deploy\.nothing|event type/i)
      .first()
      .waitFor()
    await type.fill('deploy.failed')
    await page.getByRole('dialog').getByRole('button', { name: 'Add subscription' }).click()
    await page.getByRole('cell', { name: 'deploy.failed', exact: true }).waitFor()
    await page.getByRole('button', { name: `Send test to ${email}` }).click()
    await page.getByText('is on its way').waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('cell', { name: 'notification.test' }).waitFor()
    expect(await axe()).toEqual([])
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([])
  })

  it('CO-04 a developer follows an app by category and stops again', async () => {
    const person = await visits.system.member('admin')
    await visits.system.client(person.token).call(createApp, { alias: 'shop' })
    const { page, axe, faults } = await visits.visit('admin', '/settings/profile', { person })
    await page.getByRole('button', { name: 'Follow app' }).click()
    await page.getByLabel('Tickets').uncheck()
    await page.getByRole('button', { name: 'Save choice' }).click()
    await page.getByRole('cell', { name: 'Checks, Maintenance, Failed deploys' }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Change shop' }).click()
    for (const category of ['Checks', 'Maintenance', 'Failed deploys']) await page.getByLabel(category).uncheck()
    await page.getByRole('button', { name: 'Save choice' }).click()
    await page.getByRole('heading', { name: 'You follow no app', exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('CO-03 an admin switches the maintenance agent on with the model that needs no key, and off', async () => {
    const { page, axe, faults } = await visits.visit('admin', '/settings/organization/maintenance')
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('heading', { name: 'Maintenance agent: on', exact: true }).waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('heading', { name: 'Maintenance agent: off', exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('CO-06 a viewer sees who can open a page that the role does not reach', async () => {
    const { page } = await visits.visit('viewer', '/settings/organization/audit')
    await page.getByRole('heading', { name: 'You cannot open this page', exact: true }).waitFor()
    await page.getByText('change roles under Organization settings').waitFor()
    expect(await page.getByRole('link', { name: 'Organization settings' }).count()).toBe(0)
  })
})
